// SPDX-License-Identifier: Apache-2.0
#include "lb_file.hpp"

#ifdef ROAM_HAS_BROTLI
#include <brotli/decode.h>
#include <brotli/encode.h>
#endif

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::placement {

namespace {

/// Whether the text is not compressed: Brotli has no magic number, but JSON of this kind starts
/// with a brace.
bool is_json(const std::string& bytes) {
  const auto first = bytes.find_first_not_of(" \t\r\n");
  return first == std::string::npos || bytes[first] == '{';
}

#ifdef ROAM_HAS_BROTLI
// Limit of expansion: no recording compresses so well, but a file of a few bytes can be made to
// expand to gigabytes.
constexpr std::size_t most_times_as_large = 10'000;

std::string uncompressed(const std::string& path, const std::string& bytes) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
  if (!state) throw Error("no memory to uncompress " + path);
  std::string text;
  std::array<std::uint8_t, 65536> piece{};
  auto input_left = bytes.size();
  const auto* input = reinterpret_cast<const std::uint8_t*>(bytes.data());
  while (true) {
    std::size_t output_left = piece.size();
    std::uint8_t* output = piece.data();
    const BrotliDecoderResult result = BrotliDecoderDecompressStream(
        state.get(), &input_left, &input, &output_left, &output, nullptr);
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size() - output_left);
    if (result == BROTLI_DECODER_RESULT_SUCCESS && input_left == 0) return text;
    if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
      throw ConfigError(path + ": neither JSON nor a whole file of JSON compressed with Brotli");
    }
    if (text.size() / most_times_as_large > bytes.size()) {
      throw ConfigError(path + ": uncompressed more than 10,000 times as large, so no recording");
    }
  }
}

std::string compressed(const std::string& path, const std::string& text) {
  constexpr int quality = 5;  // of 11: higher ones take many times as long and save a few percent
  std::string bytes(BrotliEncoderMaxCompressedSize(text.size()), '\0');
  std::size_t size = bytes.size();
  if (BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, text.size(),
                            reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                            reinterpret_cast<std::uint8_t*>(bytes.data())) != BROTLI_TRUE) {
    throw ConfigError(path + ": cannot be compressed");
  }
  bytes.resize(size);
  return bytes;
}
#else
std::string compressed(const std::string&, const std::string& text) { return text; }

[[noreturn]] std::string uncompressed(const std::string& path, const std::string&) {
  throw ConfigError(path +
                    ": no JSON; if it is compressed with Brotli, uncompress it first (brotli -d), "
                    "or build Roam with libbrotli-dev");
}
#endif

}  // namespace

LbText read_lb_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(path + ": cannot be read: " + std::strerror(errno));
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw ConfigError(path + ": cannot be read: " + std::strerror(errno));
  if (is_json(bytes)) return {path, std::move(bytes), false};
  return {path, uncompressed(path, bytes), true};
}

void write_lb_file(const std::string& path, const LbText& file) {
  const std::string bytes = file.was_compressed ? compressed(path, file.text) : file.text;
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw ConfigError(path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace roam::placement

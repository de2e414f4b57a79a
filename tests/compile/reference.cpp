// SPDX-License-Identifier: Apache-2.0
// What the standard library's headers and cereal's take that Roam's are built on: how fast this
// machine compiles right now.
#include <algorithm>
#include <atomic>
#include <cereal/cereal.hpp>
#include <chrono>
#include <coroutine>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

int main() { return 0; }

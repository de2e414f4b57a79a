// SPDX-License-Identifier: Apache-2.0
#include "topology/xml_tags.hpp"

#include <algorithm>

#include "topology/refuse.hpp"

namespace roam::topology {

namespace {

constexpr std::string_view xml_spaces = " \t\r\n";
constexpr std::size_t max_open_tags = 256;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == ':' || c == '.';
}

}  // namespace

std::optional<std::string_view> XmlTag::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return value;
  return std::nullopt;
}

XmlTags::XmlTags(std::string_view document, std::string_view origin)
    : document_(document), origin_(origin) {
  if (at("\xEF\xBB\xBF")) position_ = 3;  // a byte order mark
}

void XmlTags::refuse(std::size_t line, const std::string& what) const {
  topology::refuse(origin_ + ":" + std::to_string(line), what);
}

void XmlTags::advance(std::size_t count) {
  const std::string_view passed = document_.substr(position_, count);
  line_ += static_cast<std::size_t>(std::ranges::count(passed, '\n'));
  position_ += passed.size();
}

void XmlTags::skip_spaces() {
  const std::size_t end = document_.find_first_not_of(xml_spaces, position_);
  advance((end == std::string_view::npos ? document_.size() : end) - position_);
}

void XmlTags::skip_past(std::string_view end, const char* what) {
  const std::size_t found = document_.find(end, position_);
  if (found == std::string_view::npos)
    refuse(line_, std::string("the file ends inside ") + what + "; it is incomplete");
  advance(found + end.size() - position_);
}

/// Goes to the next '<' that begins a tag; false at the end of the document.
bool XmlTags::skip_to_tag() {
  while (true) {
    const std::size_t start = document_.find('<', position_);
    const std::size_t end = start == std::string_view::npos ? document_.size() : start;
    if (open_.empty() &&
        document_.substr(position_, end - position_).find_first_not_of(xml_spaces) !=
            std::string_view::npos) {
      refuse(line_, "found text outside of the tags; this is not XML");
    }
    advance(end - position_);
    if (start == std::string_view::npos) return false;
    if (at("<!--")) {
      skip_past("-->", "a comment");
    } else if (at("<?")) {
      skip_past("?>", "a processing instruction");
    } else if (at("<!")) {
      const std::size_t close = document_.find('>', position_);
      if (close != std::string_view::npos &&
          document_.substr(position_, close - position_).find('[') != std::string_view::npos) {
        refuse(line_, "found definitions or character data, allowed are tags as hwloc writes them");
      }
      skip_past(">", "the document type");
    } else {
      return true;
    }
  }
}

std::string_view XmlTags::read_name() {
  const std::size_t start = position_;
  while (position_ < document_.size() && is_name_character(document_[position_])) ++position_;
  if (position_ == start) {
    if (position_ == document_.size())
      refuse(line_, "the file ends inside a tag; it is incomplete");
    refuse(line_, "found no name where a tag or an attribute has one");
  }
  return document_.substr(start, position_ - start);
}

void XmlTags::read_attribute(XmlTag& tag) {
  const std::string_view key = read_name();
  skip_spaces();
  if (!at("="))
    refuse(line_,
           "attribute " + std::string(key) + " of <" + std::string(tag.name) + "> has no value");
  advance(1);
  skip_spaces();
  const char quote = position_ < document_.size() ? document_[position_] : '\0';
  if (quote != '"' && quote != '\'')
    refuse(line_, "the value of attribute " + std::string(key) + " is not in quotes");
  advance(1);
  const std::size_t start = position_;
  const std::size_t end = document_.find(quote, start);
  if (end == std::string_view::npos)
    refuse(line_, "the file ends inside attribute " + std::string(key) + "; it is incomplete");
  const std::string_view value = document_.substr(start, end - start);
  if (value.find('<') != std::string_view::npos)
    refuse(line_, "the value of attribute " + std::string(key) + " has no end");
  if (tag.attribute(key)) refuse(line_, "attribute " + std::string(key) + " is given twice");
  tag.attributes.emplace_back(key, value);
  advance(end + 1 - start);
}

/// Compares a tag with those that are open.
void XmlTags::track(const XmlTag& tag) {
  const std::string name(tag.name);
  if (tag.opens && open_.empty()) {
    if (had_root_) refuse(tag.line, "found a second outermost tag, <" + name + ">");
    had_root_ = true;
  }
  if (tag.opens && !tag.closes) {
    if (open_.size() == max_open_tags) {
      refuse(tag.line,
             "found more than " + std::to_string(max_open_tags) + " tags inside each other");
    }
    open_.push_back(tag.name);
  } else if (!tag.opens) {
    if (open_.empty()) refuse(tag.line, "found </" + name + "> and nothing that it closes");
    if (open_.back() != tag.name) {
      refuse(tag.line, "found </" + name + ">, but <" + std::string(open_.back()) + "> is open");
    }
    open_.pop_back();
  }
}

std::optional<XmlTag> XmlTags::next() {
  if (!skip_to_tag()) {
    if (!open_.empty()) {
      refuse(line_, "the file ends inside <" + std::string(open_.back()) + ">; it is incomplete");
    }
    return std::nullopt;
  }
  XmlTag tag;
  tag.line = line_;
  advance(1);
  if (at("/")) {
    advance(1);
    tag.closes = true;
  } else {
    tag.opens = true;
  }
  tag.name = read_name();
  for (skip_spaces(); !at(">"); skip_spaces()) {
    if (tag.opens && at("/>")) {
      tag.closes = true;
      advance(1);
      break;
    }
    if (!tag.opens) refuse(line_, "found more than a name in </" + std::string(tag.name) + ">");
    read_attribute(tag);
  }
  advance(1);
  track(tag);
  return tag;
}

}  // namespace roam::topology

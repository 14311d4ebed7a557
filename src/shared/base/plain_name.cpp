// The locale has no say in what a letter is.
#include "base/plain_name.h"

#include <algorithm>

#include "base/error.h"

namespace transformeter {
namespace {

bool is_plain_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.front() != '_' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_plain_character);
}

std::string plain_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_plain_character(c); }, '-');
  return text;
}

void check_plain_name(std::string_view what, const std::string& name) {
  if (is_plain_name(name)) return;
  throw bad_value(what, name, "letters, digits, '.', '_' and '-', beginning with a letter or digit");
}

}  // namespace transformeter

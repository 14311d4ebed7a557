// Marks take the places of the blanks they stand for; a mark put in front that of the first character.
#include "tokenizers/metaspace.h"

#include <fmt/format.h>

#include "tokenizers/utf8.h"

namespace transformeter {

MetaspaceOptions metaspace_options(const ComponentJson& json) {
  json.allow({"replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"});
  MetaspaceOptions options;
  options.mark = json.string("replacement");
  if (options.mark.empty() || character_size(options.mark, 0) != options.mark.size()) {
    throw json.bad(fmt::format("'replacement' is '{}'; it must be one character", options.mark));
  }
  options.split = json.boolean("split", true);
  const std::string scheme = json.string("prepend_scheme", "always");
  using Prepend = MetaspaceOptions::Prepend;
  if (scheme != "always" && scheme != "first" && scheme != "never") {
    throw unknown_value(json.where() + ": prepend_scheme", scheme, {"always", "first", "never"});
  }
  options.prepend = scheme == "always" ? Prepend::kAlways : scheme == "first" ? Prepend::kFirst : Prepend::kNever;
  if (options.prepend != Prepend::kNever && !json.boolean("add_prefix_space", true)) {
    throw json.bad(fmt::format("add_prefix_space is false, so prepend_scheme must be 'never', not '{}'", scheme));
  }
  return options;
}

AlignedText Metaspace::with_marks(const AlignedText& text) const {
  AlignedText made;
  made.at_start = text.at_start;
  made.text.reserve(text.text.size() + 8 * options_.mark.size());
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    if (text.text[i] == ' ') {
      made.text += options_.mark;
    } else {
      made.text += text.text[i];
    }
    if (!text.origin.empty()) made.origin.resize(made.text.size(), text.origin[i]);
  }
  using Prepend = MetaspaceOptions::Prepend;
  const bool wanted = options_.prepend == Prepend::kAlways || (options_.prepend == Prepend::kFirst && text.at_start);
  return wanted && !made.text.starts_with(options_.mark) ? prepend(made, options_.mark) : made;
}

std::vector<AlignedText> Metaspace::pre_tokenize(AlignedText text) const {
  const AlignedText marked = with_marks(text);
  if (marked.text.empty()) return {};
  if (!options_.split) return {marked};
  std::vector<AlignedText> pieces;
  for (std::size_t begin = 0; begin < marked.text.size();) {
    const bool begins_with_mark = std::string_view(marked.text).substr(begin).starts_with(options_.mark);
    std::size_t end = marked.text.find(options_.mark, begin + (begins_with_mark ? options_.mark.size() : 0));
    if (end == std::string::npos) end = marked.text.size();
    pieces.push_back(slice(marked, {begin, end}));
    begin = end;
  }
  return pieces;
}

}  // namespace transformeter

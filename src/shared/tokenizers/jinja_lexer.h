// Cuts a template into text and the tokens between {{ }} and {% %}, white space control applied.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter::jinja {

struct Token {
  enum class Kind { kData, kBeginOutput, kBeginStatement, kEnd, kName, kString, kInteger, kOperator, kEndOfTemplate };
  Kind kind = Kind::kEndOfTemplate;
  std::string text;  // of kData, kName, kString (without quotes and escapes), kInteger and kOperator
  int line = 1;
};

/// The last token is kEndOfTemplate. With trim_blocks and lstrip_blocks, as Transformers sets Jinja2 up.
/// Throws Error(kBadInput) "WHERE: line N: …".
std::vector<Token> cut_template(std::string_view text, const std::string& where);

}  // namespace transformeter::jinja

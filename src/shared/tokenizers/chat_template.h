// Chat templates: the Jinja text of tokenizer_config.json that turns a conversation into what a model reads. A subset
// of Jinja2 as Transformers sets it up; whatever else a template holds is refused by name and line.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tokenizers/jinja_value.h"

namespace transformeter {

namespace jinja {
struct Template;
}

/// Known: for, if, elif, else, set of a name; literals, attributes, indexing, slices; the operators + - % ~ == != < <=
/// > >=, in, not in, and, or, not, `a if b else c`; the tests defined, undefined, none, string, mapping, number, true,
/// false, each with not; the filters trim, tojson, length, upper, lower, string; the methods strip, lstrip, rstrip,
/// upper, lower, startswith, endswith; raise_exception; loop.index, index0, first, last, length.
class ChatTemplate {
 public:
  /// Throws Error(kBadInput) "WHERE: line N: …" for text that is not a template, or is beyond the subset.
  ChatTemplate(std::string_view text, std::string where);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&& other) noexcept;
  ChatTemplate& operator=(ChatTemplate&& other) noexcept;

  /// `variables` holds what the template may use: "messages", an array of objects with "role" and "content";
  /// "add_generation_prompt"; names of special tokens. Throws Error(kBadInput): where the template calls
  /// raise_exception, and for an operation that the values do not allow.
  std::string render(const jinja::Value& variables) const;

 private:
  std::string where_;
  std::unique_ptr<const jinja::Template> template_;
};

/// A conversation, as a JSON array of {"role", "content"}, and the file it came from, for errors.
struct Messages {
  std::string where;
  jinja::Value list;
};

/// What a conversation becomes with the template of the folder's
/// tokenizer_config.json (of several the one named "default"). Throws Error(kBadInput): without a template, and for
/// messages of another form.
std::string render_chat(const std::filesystem::path& folder, const Messages& messages, bool add_generation_prompt);

}  // namespace transformeter

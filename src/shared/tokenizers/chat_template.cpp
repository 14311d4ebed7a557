// The template's place in tokenizer_config.json, and the variables Transformers gives it.
#include "tokenizers/chat_template.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "tokenizers/jinja_parser.h"
#include "tokenizers/jinja_renderer.h"

namespace transformeter {
namespace {

using jinja::Value;

// The text of a special token, written as a string or as an added-token object; nothing for anything else.
Value token_text(const Value& token) {
  if (token.is_string()) return token;
  const auto content = token.is_object() ? token.find("content") : token.end();
  return token.is_object() && content != token.end() && content->is_string() ? *content : jinja::undefined();
}

// The template itself, or of a list of named ones the one for conversations without tools.
Value template_text(const Value& config) {
  const auto found = config.find("chat_template");
  if (found == config.end()) return jinja::undefined();
  if (!found->is_array()) return *found;
  for (const Value& named : *found) {
    if (named.is_object() && named.value("name", Value()) == "default") return named.value("template", Value());
  }
  return jinja::undefined();
}

void check_messages(const Messages& conversation) {
  const Value& messages = conversation.list;
  const auto bad = [&](const std::string& message) {
    return Error(ErrorKind::kBadInput,
                 conversation.where + ": " + message + R"(; expected: [{"role": "user", "content": "Hello"}, …])");
  };
  if (!messages.is_array() || messages.empty()) throw bad("not a JSON array with at least one message");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_object() || !messages[i].contains("role")) throw bad(fmt::format("message {} has no role", i));
  }
}

}  // namespace

ChatTemplate::ChatTemplate(std::string_view text, std::string where) : where_(std::move(where)) {
  if (const auto offset = first_invalid_utf8(text)) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: not valid UTF-8 at byte {}", where_, *offset));
  }
  template_ = std::make_unique<const jinja::Template>(jinja::parse_template(text, where_));
}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

std::string ChatTemplate::render(const Value& variables) const {
  return jinja::render(*template_, variables, where_);
}

std::string render_chat(const std::filesystem::path& folder, const Messages& messages, bool add_generation_prompt) {
  check_messages(messages);
  const std::filesystem::path path = folder / "tokenizer_config.json";
  const std::string text = read_file(path);
  parse_json(path.string(), text);  // for its checks and errors
  const Value config = Value::parse(text);
  const Value chat = config.is_object() ? template_text(config) : Value();
  if (!chat.is_string()) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: no 'chat_template'; is this a chat model?", path.string()));
  }
  Value variables = {{"messages", messages.list}, {"add_generation_prompt", add_generation_prompt}};
  for (const char* name : {"bos_token", "eos_token", "unk_token", "pad_token"}) {
    const auto token = config.find(name);
    if (token != config.end() && !token_text(*token).is_discarded()) variables[name] = token_text(*token);
  }
  return ChatTemplate(chat.get<std::string>(), path.string() + ": chat_template").render(variables);
}

}  // namespace transformeter

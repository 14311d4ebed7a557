// Chat templates against Transformers (tests/data/tokenizers/chats.json), and what is refused.
#include "tokenizers/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/shared_data.h"
#include "support/temporary_folder.h"
#include "tokenizers/small_tokenizers.h"

namespace transformeter {
namespace {

using jinja::Value;
using testing::HasSubstr;

Value references() {
  return Value::parse(read_file(small_tokenizers() / "chats.json"));
}

std::string render(const std::string& text, const Value& variables = Value::object()) {
  return ChatTemplate(text, "t").render(variables);
}

std::string error_of(const std::string& text, const Value& variables = Value::object()) {
  try {
    render(text, variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "no error";
}

void expect_case(const ChatTemplate& chat, const Value& item) {
  SCOPED_TRACE(item.dump());
  const Value variables = {{"messages", item["messages"]},
                           {"add_generation_prompt", item["add_generation_prompt"]},
                           {"bos_token", "<s>"},
                           {"eos_token", "</s>"}};
  if (item["text"].is_null()) {
    EXPECT_THROW(chat.render(variables), Error);
  } else {
    EXPECT_EQ(chat.render(variables), item["text"].get<std::string>());
  }
}

TEST(ChatTemplate, GivesTheSameTextsAsTransformers) {
  const Value reference = references();
  for (const auto& [name, text] : reference["templates"].items()) {
    const ChatTemplate chat(text.get<std::string>(), name);
    for (const Value& item : reference["cases"]) {
      if (item["template"] == name) expect_case(chat, item);
    }
  }
}

TEST(ChatTemplate, GivesTheSameTextsForQwen) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const Value reference = references();
  for (const std::string name : {"qwen2", "qwen2.5"}) {
    const auto folder = shared_data() / "tokenizers" / name;
    for (const Value& item : reference["cases"]) {
      if (item["template"] != name) continue;
      EXPECT_EQ(render_chat(folder, {"f", item["messages"]}, item["add_generation_prompt"].get<bool>()),
                item["text"].get<std::string>())
          << item.dump();
    }
  }
}

TEST(ChatTemplate, NamesWhatItDoesNotKnowWithTheLine) {
  EXPECT_THAT(error_of("a\n{% macro f() %}"),
              HasSubstr("t: line 2: the statement 'macro' is not supported; allowed: for"));
  EXPECT_THAT(error_of("{{ x | groupby }}"), HasSubstr("line 1: the filter 'groupby' is not supported"));
  EXPECT_THAT(error_of("{{ namespace(a=1) }}"), HasSubstr("the function 'namespace' is not supported"));
  EXPECT_THAT(error_of("\n\n{{ 1 is odd }}"), HasSubstr("line 3: the test 'odd' is not supported"));
  EXPECT_THAT(error_of("{{ 'a'.title() }}"), HasSubstr("the method 'title' with 0 arguments is not supported"));
}

TEST(ChatTemplate, RefusesWhatIsNoTemplate) {
  EXPECT_THAT(error_of("{% if a %}"), HasSubstr("'endif' is missing"));
  EXPECT_THAT(error_of("{% endif %}"), HasSubstr("'endif'"));
  EXPECT_THAT(error_of("{{ 'a }}"), HasSubstr("a string is not closed"));
  EXPECT_THAT(error_of("{{ a"), HasSubstr("'}}' is missing"));
  EXPECT_THAT(error_of("{{ " + std::string(5000, '(') + "1" + std::string(5000, ')') + " }}"),
              HasSubstr("nested deeper"));
  EXPECT_THAT(error_of("{{ a" + std::string(5000, '.') + " }}"), HasSubstr("expected a name"));
}

TEST(ChatTemplate, NamesTheOperationThatValuesDoNotAllow) {
  EXPECT_THAT(error_of("{{ a.b }}"), HasSubstr("a member of an undefined value"));
  EXPECT_THAT(error_of("{{ 'x' + none }}"), HasSubstr("+ cannot join a string and none"));
  EXPECT_THAT(error_of("{% for a in 'text' %}{% endfor %}"), HasSubstr("'for' needs a list, not a string"));
  EXPECT_THAT(error_of("{{ raise_exception('no ' ~ 3) }}"), HasSubstr("rejects the conversation: no 3"));
}

TEST(ChatTemplate, StopsATemplateThatTakesTooLong) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "{% for a in list %}";
  for (int i = 0; i < 12; ++i) text += "{% endfor %}";
  EXPECT_THAT(error_of(text, {{"list", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}}), HasSubstr("steps"));
}

TEST(ChatTemplate, SaysThatAFolderHasNone) {
  const TemporaryFolder folder;
  folder.write("tokenizer_config.json", "{}");
  try {
    render_chat(folder.path(), {"f", Value::parse(R"([{"role": "user", "content": "x"}])")}, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no 'chat_template'"));
  }
  EXPECT_THROW(render_chat(folder.path(), {"f", Value::parse("[]")}, true), Error);
  EXPECT_THROW(render_chat(folder.path(), {"f", Value::parse(R"([{"content": "x"}])")}, true), Error);
}

}  // namespace
}  // namespace transformeter

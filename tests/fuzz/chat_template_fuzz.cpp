// Chat templates, run on a conversation.
#include "fuzz_support.h"
#include "tokenizers/chat_template.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const jinja::Value kVariables = jinja::Value::parse(
      R"({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": " h\u00e9 "},
          {"role": "assistant", "content": "x", "tool_calls": [{"name": "f", "arguments": {"a": [1, null]}}]}],
          "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>"})");
  expect_read_or_error([&] { ChatTemplate(bytes_of(data, size), "fuzz").render(kVariables); });
  return 0;
}

// .model files: the reader that guards the library, the library, and the tokenizer that comes out.
#include "fuzz_support.h"
#include "tokenizers/tokenizer_loader.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("tokenizer.model");
  expect_read_or_error([&] {
    const auto tokenizer = load_tokenizer(file.write(bytes_of(data, size)));
    const std::string_view text = "Hello  w\xC3\xB6rld, un\xE4\xB8\xAD able! e\xCC\x81\n";
    const Encoding encoding = tokenizer->encode(text);
    for (const std::int32_t id : encoding.ids) {
      require(id >= 0 && id < tokenizer->vocabulary_size(), "an id lies outside the vocabulary");
    }
    for (const Token& token : tokenizer->tokenize(text)) {
      require(token.bytes.begin <= token.bytes.end && token.bytes.end <= text.size(), "a place lies outside the text");
    }
    tokenizer->decode(encoding.ids);
  });
  return 0;
}

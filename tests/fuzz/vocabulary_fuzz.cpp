// vocab.txt, and the tokenizer that comes out.
#include "fuzz_support.h"
#include "tokenizers/tokenizer_loader.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("vocab.txt");
  expect_read_or_error([&] {
    const auto tokenizer = load_tokenizer(file.write(bytes_of(data, size)));
    const Encoding encoding = tokenizer->encode("Hello [MASK] w\xC3\xB6rld, un\xE4\xB8\xAD able! [SEP]\n");
    for (const std::int32_t id : encoding.ids) {
      require(id >= 0 && id < tokenizer->vocabulary_size(), "an id lies outside the vocabulary");
      require(!tokenizer->token(id).empty(), "an id has no word");
    }
  });
  return 0;
}

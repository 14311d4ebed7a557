// tokenizer.json: both of its readers, and the tokenizer that comes out. The quick reader may take only what the
// general one takes too, and with the same result.
#include "base/text.h"
#include "fuzz_support.h"
#include "tokenizers/tokenizer_json.h"
#include "tokenizers/tokenizer_loader.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of a few functions

namespace {

constexpr std::string_view kText = "Hello [MASK] w\xC3\xB6rld, un\xE4\xB8\xAD able! [SEP]\n";

void check_quick_reader(std::string_view text) {
  const auto plain = read_plain_tokenizer_json(text);
  if (!plain) return;
  const Json whole = Json::parse(text, nullptr, false);
  require(whole.is_object(), "the quick reader took what is no JSON object");
  const Json vocabulary = whole.value(Json::json_pointer("/model/vocab"), Json());
  if (vocabulary.size() != plain->vocabulary.size()) return;  // a name stands there twice, which the builder refuses
  for (const TokenizerJson::Word& word : plain->vocabulary) {
    const auto found = vocabulary.find(plain->words.substr(word.text.offset, word.text.size));
    require(found != vocabulary.end() && *found == word.id, "the quick reader found another word");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("tokenizer.json");
  const std::string_view text = bytes_of(data, size);
  check_quick_reader(text);
  expect_read_or_error([&] {
    const auto tokenizer = load_tokenizer(file.write(text));
    for (const Encoding& encoding : {tokenizer->encode(kText), tokenizer->encode_pair(kText, "pair")}) {
      for (const std::int32_t id : encoding.ids) {
        require(id >= 0 && id < tokenizer->vocabulary_size(), "an id lies outside the vocabulary");
      }
    }
    const Encoding encoding = tokenizer->encode(kText);
    const std::vector<Token> tokens = tokenizer->tokenize(kText);
    require(tokens.size() == encoding.ids.size(), "the two ways of encoding give different numbers of tokens");
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      require(tokens[i].id == encoding.ids[i], "the two ways of encoding give different ids");
      require(tokens[i].bytes.begin <= tokens[i].bytes.end && tokens[i].bytes.end <= kText.size(),
              "a place lies beyond the text");
    }
    tokenizer->decode(encoding.ids);
  });
  return 0;
}

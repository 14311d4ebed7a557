// vocab.json and tokenizer_config.json of a speech model, as {"vocabulary": ..., "settings": ..., "transcript": ...};
// every class has a text, and the transcript has tokens or an error.
#include <algorithm>

#include "fuzz_support.h"
#include "tokenizers/ctc_vocabulary.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const Json json = parse_json("input", bytes_of(data, size));
    if (!json.is_object()) return;
    const CtcVocabulary vocabulary(json.value("vocabulary", Json()), json.value("settings", Json()), "input");
    require(vocabulary.size() > 0, "the vocabulary's size");
    const std::int64_t last = vocabulary.size() - 1;
    const std::vector<std::int64_t> once{-1, 0, last, last + 1};
    const std::vector<std::int64_t> twice{-1, -1, 0, 0, last, last, last + 1};
    require(vocabulary.text_of(once) == vocabulary.text_of(twice), "repetitions count once");
    require(vocabulary.padding_id().value_or(0) >= 0, "the padding token's ID");
    for (const char* said : {"transcript", "vocabulary"}) {  // also one that spells tokens
      const Json text = json.value(said, Json());
      const std::vector<std::int64_t> ids = vocabulary.ids_of(text.is_string() ? text.get<std::string>() : text.dump());
      require(std::all_of(ids.begin(), ids.end(), [](std::int64_t id) { return id >= 0; }), "IDs of tokens");
    }
  });
  return 0;
}

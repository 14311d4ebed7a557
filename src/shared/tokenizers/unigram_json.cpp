// Unigram's vocabulary is an array of tokens and scores; ids are the places in it.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tokenizers/tokenizer_config.h"
#include "tokenizers/unigram.h"

namespace transformeter {
namespace {

struct Words {
  StoredVocabulary vocabulary;
  std::vector<double> scores;
};

Words read_words(const ComponentJson& json) {
  Words words;
  auto bytes = std::make_unique<std::string>();
  std::vector<std::size_t> ends;
  for (const Json& entry : json.array("vocab")) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number() ||
        !std::isfinite(entry[1].get<double>())) {
      throw json.bad(fmt::format("vocab[{}] is {}; it must be a token and a finite score", ends.size(),
                                 excerpt(canonical_json(entry))));
    }
    *bytes += entry[0].get_ref<const std::string&>();
    ends.push_back(bytes->size());
    words.scores.push_back(entry[1].get<double>());
  }
  if (ends.empty() || ends.size() >= static_cast<std::size_t>(kTokenIdLimit)) {
    throw json.bad(fmt::format("vocab has {} tokens; allowed: 1 to {}", ends.size(), kTokenIdLimit - 1));
  }
  words.vocabulary.words = Vocabulary(ends.size());
  std::size_t begin = 0;
  for (std::size_t id = 0; id < ends.size(); begin = ends[id++]) {
    const std::string_view word = std::string_view(*bytes).substr(begin, ends[id] - begin);
    if (!words.vocabulary.words.insert(word, static_cast<std::int32_t>(id))) {
      throw json.bad(fmt::format("vocab: '{}' occurs twice", excerpt(word)));
    }
  }
  words.vocabulary.bytes = std::move(bytes);
  return words;
}

}  // namespace

std::unique_ptr<const TokenModel> make_unigram(const ComponentJson& json) {
  json.allow({"unk_id", "vocab", "byte_fallback"});
  Words words = read_words(json);
  UnigramOptions options;
  options.unknown_id = json.optional_id("unk_id");
  if (options.unknown_id && static_cast<std::size_t>(*options.unknown_id) >= words.scores.size()) {
    throw json.bad(
        fmt::format("unk_id is {}; allowed: 0 to {}, the last token", *options.unknown_id, words.scores.size() - 1));
  }
  options.byte_fallback = json.boolean("byte_fallback", false);
  return std::make_unique<Unigram>(std::move(words.vocabulary), std::move(words.scores), options);
}

}  // namespace transformeter

// Texts of classes of frames, against batch_decode of Transformers, and files that must be refused.
#include "tokenizers/ctc_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Json kLetters = {{"<pad>", 0}, {"<s>", 1}, {"</s>", 2}, {"<unk>", 3}, {"|", 4}, {"E", 5}, {"T", 6}};

std::string text_of(const Json& settings, const std::vector<std::int64_t>& ids) {
  return CtcVocabulary(kLetters, settings, "folder").text_of(ids);
}

std::string vocabulary_fault(const Json& vocabulary, const Json& settings) {
  try {
    CtcVocabulary(vocabulary, settings, "folder");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CtcVocabulary, GivesTheTextsOfTransformers) {
  for (const char* name : {"tiny-wav2vec2", "tiny-wav2vec2-stable"}) {
    const std::filesystem::path folder = source_directory() / "tests/data/models" / name;
    const CtcVocabulary vocabulary = CtcVocabulary::read(folder);
    EXPECT_EQ(vocabulary.size(), 11);
    const Json sounds = parse_json(name, read_file(folder / "sounds.json"));
    for (const auto& [file, answer] : sounds.items()) {
      EXPECT_EQ(vocabulary.text_of(answer.at("ids").get<std::vector<std::int64_t>>()), answer.at("text"))
          << name << " " << file;
    }
  }
}

TEST(CtcVocabulary, CountsRepetitionsOnceUnlessABlankSeparatesThem) {
  EXPECT_EQ(text_of({}, {0, 6, 6, 0, 6, 5, 5, 0, 0, 5}), "TTEE");
  EXPECT_EQ(text_of({}, {4, 4, 6, 4, 0, 4, 5, 4}), "T  E") << "two delimiters, and none at the ends";
  EXPECT_EQ(text_of({}, {}), "");
  EXPECT_EQ(text_of({}, {0, 0}), "");
  EXPECT_EQ(text_of({}, {6, 9, 5}), "T<unk>E") << "no such class";
}

TEST(CtcVocabulary, ObeysItsSettings) {
  EXPECT_EQ(text_of({{"do_lower_case", true}}, {6, 5}), "te");
  EXPECT_EQ(text_of({{"pad_token", "E"}}, {6, 5, 6, 0}), "TT<pad>");
  EXPECT_EQ(text_of({{"word_delimiter_token", "E"}}, {6, 5, 6, 4}), "T T|");
  EXPECT_EQ(text_of({{"replace_word_delimiter_char", "_"}}, {6, 4, 6}), "T_T");
  EXPECT_EQ(text_of({{"pad_token", {{"content", "T"}}}}, {6, 5}), "E");
}

TEST(CtcVocabulary, RefusesOtherFilesByName) {
  EXPECT_THAT(vocabulary_fault(kLetters, {{"tokenizer_class", "WhisperTokenizer"}}),
              AllOf(HasSubstr("folder"), HasSubstr("WhisperTokenizer"), HasSubstr("Wav2Vec2CTCTokenizer")));
  EXPECT_THAT(vocabulary_fault({{"eng", kLetters}}, {}), AllOf(HasSubstr("vocab.json"), HasSubstr("tokens")));
  EXPECT_THAT(vocabulary_fault(kLetters, {{"target_lang", "eng"}}), HasSubstr("target_lang"));
  EXPECT_THAT(vocabulary_fault({{"A", -1}}, {}), HasSubstr("vocab.json"));
  EXPECT_THAT(vocabulary_fault(Json::array(), {}), HasSubstr("vocab.json"));
  EXPECT_THAT(vocabulary_fault(kLetters, {{"pad_token", 0}}), HasSubstr("pad_token"));
  EXPECT_THAT(vocabulary_fault(kLetters, {{"do_lower_case", "yes"}}), HasSubstr("do_lower_case"));
  const TemporaryFolder empty;
  EXPECT_THROW(CtcVocabulary::read(empty.path()), Error);
}

}  // namespace
}  // namespace transformeter

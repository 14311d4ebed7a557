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

// Of Wav2Vec2CTCTokenizer, called with each text.
TEST(CtcVocabulary, EncodesTranscriptsAsTransformers) {
  using Ids = std::vector<std::int64_t>;
  const auto folder = [](const char* name) {
    return CtcVocabulary::read(source_directory() / "tests/data/models" / name);
  };
  const CtcVocabulary plain = folder("tiny-wav2vec2"), lowering = folder("tiny-wav2vec2-stable");
  EXPECT_EQ(plain.ids_of("TEA TON"), (Ids{6, 5, 7, 4, 6, 10, 9}));
  EXPECT_EQ(plain.ids_of("Tea ton"), (Ids{6, 3, 3, 4, 3, 3, 3})) << "letters that are unknown";
  EXPECT_EQ(lowering.ids_of("Tea ton"), (Ids{6, 5, 7, 4, 6, 10, 9}));
  EXPECT_EQ(lowering.ids_of("\u00DF n\u00E9"), (Ids{3, 3, 4, 9, 3})) << "SS N, and a letter that is unknown";
  EXPECT_EQ(plain.ids_of(" TE  A'"), (Ids{4, 6, 5, 4, 4, 7, 8}));
  EXPECT_EQ(plain.ids_of("T<unk>E"), (Ids{6, 3, 5}));
  EXPECT_EQ(plain.ids_of("T <pad> E"), (Ids{6, 0, 5})) << "a token of several characters takes the spaces around it";
  EXPECT_EQ(plain.ids_of(""), Ids{});
}

TEST(CtcVocabulary, RefusesCharactersThatHaveNoToken) {
  const Json letters = {{"<pad>", 0}, {"E", 1}};
  const CtcVocabulary vocabulary(letters, {{"word_delimiter_token", nullptr}}, "folder");
  try {
    vocabulary.ids_of("EX");
    FAIL() << "X is no token";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'X'"), HasSubstr("vocab.json"), HasSubstr("<unk>")));
  }
}

TEST(CtcVocabulary, ObeysItsSettings) {
  EXPECT_EQ(text_of({{"do_lower_case", true}}, {6, 5}), "te");
  EXPECT_EQ(text_of({{"pad_token", "E"}}, {6, 5, 6, 0}), "TT<pad>");
  EXPECT_EQ(text_of({{"word_delimiter_token", "E"}}, {6, 5, 6, 4}), "T T|");
  EXPECT_EQ(text_of({{"replace_word_delimiter_char", "_"}}, {6, 4, 6}), "T_T");
  EXPECT_EQ(text_of({{"pad_token", {{"content", "T"}}}}, {6, 5}), "E");
}

// As Wav2Vec2CTCTokenizer.from_pretrained(folder).batch_decode of Transformers 5.23 answers.
TEST(CtcVocabulary, ReadsTheFilesThatTransformersReads) {
  const TemporaryFolder folder;
  folder.write("vocab.json", kLetters.dump());
  const auto text = [&](const std::vector<std::int64_t>& ids) {
    return CtcVocabulary::read(folder.path()).text_of(ids);
  };
  folder.write("special_tokens_map.json", R"({"pad_token": "E"})");
  EXPECT_EQ(text({6, 5, 6, 0, 4, 5}), "TT<pad>");
  folder.write("tokenizer_config.json", R"({"pad_token": "T"})");
  EXPECT_EQ(text({6, 5, 6, 0, 4, 5}), "TT<pad>") << "the map overrides it";
  folder.write("added_tokens.json", R"({"<x>": 7, "<y>": 5})");
  EXPECT_EQ(text({6, 7, 7, 9, 4, 6}), "T<x><unk> T") << "behind the vocabulary";
  EXPECT_EQ(text({6, 0, 5, 6}), "T<pad>T") << "the vocabulary has 5 itself, which is the padding";
  EXPECT_EQ(CtcVocabulary::read(folder.path()).size(), 7) << "a model need not have a class for it";
  folder.write("tokenizer_config.json", R"({"pad_token": "T", "added_tokens_decoder": {}})");
  EXPECT_EQ(text({6, 5, 6, 0, 4, 5}), "E<pad> E") << "neither file is read";
  EXPECT_EQ(text({5, 7}), "E<unk>");
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"7": {"content": "<x>", "special": false}}})");
  EXPECT_EQ(text({6, 7, 7, 9, 5, 8, 6}), "T<x><unk>E<unk>T");
}

TEST(CtcVocabulary, HasEmptyTokensHolesAndTokensThatAreTurnedOff) {
  Json letters = kLetters;
  letters[""] = 7;
  EXPECT_EQ(CtcVocabulary(letters, {}, "folder").text_of(std::vector<std::int64_t>{6, 7, 5, 7, 7, 5}), "TEE");
  letters = kLetters;
  letters["Q"] = 8;
  EXPECT_EQ(CtcVocabulary(letters, {}, "folder").text_of(std::vector<std::int64_t>{6, 7, 5, 8}), "T<unk>EQ");
  EXPECT_EQ(text_of({{"pad_token", nullptr}}, {6, 0, 6, 0, 0}), "T<pad>T<pad>");
  EXPECT_EQ(text_of({{"word_delimiter_token", nullptr}}, {6, 4, 6}), "T|T");
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
  EXPECT_THAT(vocabulary_fault(kLetters, {{"added_tokens_decoder", {{"x", {{"content", "<x>"}}}}}}),
              AllOf(HasSubstr("folder: added_tokens_decoder"), HasSubstr("x")));
  EXPECT_THAT(vocabulary_fault(kLetters, {{"added_tokens_decoder", {{"7", {{"special", true}}}}}}),
              AllOf(HasSubstr("added_tokens_decoder"), HasSubstr("content")));
  const TemporaryFolder empty;
  EXPECT_THROW(CtcVocabulary::read(empty.path()), Error);
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}) {
    const TemporaryFolder folder;
    folder.write("vocab.json", kLetters.dump());
    folder.write(file, "[]");
    try {
      CtcVocabulary::read(folder.path());
      ADD_FAILURE() << file << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(file), HasSubstr("a JSON object")));
    }
  }
}

}  // namespace
}  // namespace transformeter

// The public data sets load with the counts that their README states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "datasets/conll.h"
#include "datasets/dataset.h"
#include "datasets/plain_text.h"
#include "datasets/sound_data.h"
#include "datasets/squad.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

DataSet load(const char* file, const DataOptions& options = {}) {
  return load_dataset(shared_data() / file, options);
}

std::ptrdiff_t count_label(const DataSet& data, int label) {
  return std::count_if(data.examples.begin(), data.examples.end(), [&](const Example& e) { return e.label == label; });
}

TEST(Banking77, HasItsRowsClassesAndLineBreaks) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const DataSet train = load("banking77/train.csv");
  EXPECT_EQ(train.examples.size(), 10003u);
  EXPECT_EQ(train.label_count, 77);
  EXPECT_EQ(std::count_if(train.examples.begin(), train.examples.end(),
                          [](const Example& e) { return e.text.find('\n') != std::string::npos; }),
            10);
  const DataSet test = load("banking77/test.csv");
  EXPECT_EQ(test.examples.size(), 3080u);
  EXPECT_EQ(test.label_names, train.label_names);
  for (int label = 0; label < 77; ++label) EXPECT_EQ(count_label(test, label), 40) << test.label_names[label];
}

TEST(Banking77, KeepsTheOrderOfItsListOfClasses) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  DataOptions options;
  options.labels = (shared_data() / "banking77/categories.json").string();
  const DataSet listed = load("banking77/test.csv", options);
  EXPECT_EQ(listed.label_count, 77);
  EXPECT_EQ(listed.label_names.front(), "card_arrival");
  const DataSet sorted = load("banking77/test.csv");
  for (std::size_t i = 0; i < sorted.examples.size(); ++i) {
    EXPECT_EQ(listed.label_names.at(*listed.examples[i].label), sorted.label_names.at(*sorted.examples[i].label));
  }
}

TEST(Clinc150, HasItsSplitsOverTheSameClasses) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto split = [](const char* name) {
    DataOptions options;
    options.split = name;
    return load("clinc150/data_full.json", options);
  };
  const DataSet val = split("val");
  EXPECT_EQ(val.task, Task::kSequenceClassification);
  EXPECT_EQ(val.examples.size(), 3000u);
  ASSERT_EQ(val.label_names.size(), 151u) << "150 intents and oos";
  for (int label = 0; label < val.label_count; ++label) {
    EXPECT_EQ(count_label(val, label), val.label_names[label] == "oos" ? 0 : 20) << val.label_names[label];
  }
  EXPECT_EQ(split("train").examples.size(), 15000u);
  EXPECT_EQ(split("test").examples.size(), 4500u);
  const DataSet unknown = split("oos_test");
  EXPECT_EQ(unknown.examples.size(), 1000u);
  EXPECT_EQ(unknown.label_names, val.label_names);
  EXPECT_EQ(unknown.label_names.at(*unknown.examples.front().label), "oos");
}

TEST(AmazonElectronics, ReadsQuotedTextsWithTabsAndLineBreaks) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const DataSet train = load("amazon-electronics/train.tsv");
  EXPECT_EQ(train.examples.size(), 1700u);
  EXPECT_EQ(count_label(train, 0), 850);
  EXPECT_EQ(count_label(train, 1), 850);
  EXPECT_EQ(train.label_count, 2);
  for (const Example& example : train.examples) EXPECT_NE(example.text.find('\t'), std::string::npos);
  EXPECT_EQ(load("amazon-electronics/dev.tsv").examples.size(), 300u);
}

TEST(Squad, HasItsArticlesParagraphsAndQuestions) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const QuestionSet dev = load_questions(shared_data() / "squad/dev-v1.1.json");
  EXPECT_EQ(dev.questions.size(), 10570u);
  EXPECT_EQ(dev.contexts.size(), 2067u);
  EXPECT_FALSE(dev.has_unanswerable);
  const QuestionSet flat = load_questions(shared_data() / "squad/sample-hf-flat-v2.json");
  EXPECT_EQ(flat.questions.size(), 14u);
  EXPECT_TRUE(flat.has_unanswerable);
}

TEST(Xquad, PlacesEveryAnswerByCharacters) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  for (const char* file : {"xquad/xquad.en.json", "xquad/xquad.zh.json"}) {
    const QuestionSet set = load_questions(shared_data() / file);
    EXPECT_EQ(set.questions.size(), 1190u) << file;
    EXPECT_EQ(set.contexts.size(), 240u) << file;
  }
  const DataSet pairs = load("xquad/xquad.zh.json");
  EXPECT_EQ(pairs.examples.size(), 1190u);
  EXPECT_TRUE(pairs.examples.front().text_pair.has_value());
}

TEST(Wnut17, HasItsSentencesTokensAndTypes) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  struct File {
    const char* name;
    std::size_t sentences;
    std::size_t tokens;
  };
  for (const File& file : {File{"wnut17train.conll", 3394, 62730}, File{"emerging.dev.conll", 1009, 15733},
                           File{"emerging.test.annotated", 1287, 23394}}) {
    const TaggedSentenceSet set = load_tagged_sentences(shared_data() / "wnut17" / file.name);
    std::size_t tokens = 0;
    std::set<std::string> types;
    for (const TaggedSentence& sentence : set.sentences) {
      tokens += sentence.size();
      for (const TaggedToken& token : sentence) {
        if (token.tag != "O") types.insert(token.tag.substr(2));
      }
    }
    EXPECT_EQ(set.sentences.size(), file.sentences) << file.name;
    EXPECT_EQ(tokens, file.tokens) << file.name;
    EXPECT_EQ(types.size(), 6u) << file.name;
  }
}

TEST(Speech, HasItsSoundsAndTranscripts) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const DataSet data = load_sound_data(shared_data() / "audio/transcripts.tsv", Task::kSpeechRecognition);
  ASSERT_EQ(data.examples.size(), 14u);
  EXPECT_THAT(data.examples[1].transcript,
              testing::Optional(testing::StartsWith("mister quilter is the apostle of the middle classes")));
  EXPECT_EQ(waveform_of(data.examples[0], 16'000).samples.size(), 176'000u) << "11 seconds";
}

TEST(PlainText, HasItsWordsPackedOrNot) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  EXPECT_EQ(count_words(load_plain_text(shared_data() / "wikitext-2/test.txt").text), 241211u);
  const PlainText train = load_plain_text(shared_data() / "wikitext-2/train.txt.gz");
  EXPECT_EQ(train.name, "wikitext-2/train");
  EXPECT_EQ(train.text.size(), 10797148u);
  EXPECT_EQ(count_words(train.text), 2051910u);
  const PlainText shakespeare = load_plain_text(shared_data() / "tinyshakespeare/input.txt");
  EXPECT_EQ(std::count(shakespeare.text.begin(), shakespeare.text.end(), '\n'), 40000);
}

}  // namespace
}  // namespace transformeter

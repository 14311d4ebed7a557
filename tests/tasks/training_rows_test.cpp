// What a model learns from each task's files, against rows written out by hand.
#include "tasks/training_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kNone = kNoLabel;

class TrainingRowsTest : public testing::Test {
 protected:
  static TrainingRowsOptions options(Task task, std::int64_t max_length) {
    TrainingRowsOptions options;
    options.task = task;
    options.max_length = max_length;
    return options;
  }

  LabelledRows read(const std::string& name, std::string_view content, const TrainingRowsOptions& options,
                    const DataOptions& data = {}) const {
    return read_training_rows(folder_.write(name, content).string(), data, *tokenizer_, options);
  }

  std::string failure(const std::string& name, std::string_view content, const TrainingRowsOptions& options,
                      ErrorKind kind = ErrorKind::kBadInput) const {
    try {
      read(name, content, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  // 2 [CLS], 3 [SEP], 4 [MASK], 5 a, 6 b, 7 c, 8 d, 9 e, 10 ##a, 11 ##b, 12 ##c, 13 q, 14 bcd, 15 a full stop
  std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(
      folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\n##a\n##b\n##c\nq\nbcd\n.\n"));
};

std::vector<std::int64_t> labels_of(const LabelledRows& read, std::size_t example, std::size_t part = 0) {
  return read.rows->rows(example, 0).at(part).labels;
}

std::vector<std::int32_t> ids_of(const LabelledRows& read, std::size_t example, std::size_t part = 0) {
  return read.rows->rows(example, 0).at(part).encoding.ids;
}

TEST_F(TrainingRowsTest, OfClassificationAreTextsWithTheirClass) {
  const LabelledRows read =
      this->read("f.csv", "text,label\na b,pear\nc,fig\na b c d e,pear\n", options(Task::kSequenceClassification, 5));
  EXPECT_EQ(read.class_count, 2);
  EXPECT_THAT(read.class_names, ElementsAre("fig", "pear"));
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kRow);
  EXPECT_EQ(read.rows->size(), 3U);
  EXPECT_EQ(read.rows->row_count(), 3);
  EXPECT_THAT(ids_of(read, 0), ElementsAre(2, 5, 6, 3));
  EXPECT_THAT(labels_of(read, 0), ElementsAre(1));
  EXPECT_THAT(labels_of(read, 1), ElementsAre(0));
  EXPECT_THAT(ids_of(read, 2), ElementsAre(2, 5, 6, 7, 3));
}

TEST_F(TrainingRowsTest, OfClassificationMayBePairs) {
  const LabelledRows read =
      this->read("f.tsv", "sentence1\tsentence2\tlabel\na b\tc\t1\n", options(Task::kSequenceClassification, 5));
  EXPECT_EQ(read.class_count, 2);
  EXPECT_THAT(read.class_names, IsEmpty());
  const TrainingRow row = read.rows->rows(0, 0).at(0);
  EXPECT_THAT(row.encoding.ids, ElementsAre(2, 5, 3, 7, 3)) << "the longer text is cut";
  EXPECT_THAT(row.encoding.type_ids, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(row.labels, ElementsAre(1));
}

TEST_F(TrainingRowsTest, OfClassificationNeedLabelsWithinTheClasses) {
  const TrainingRowsOptions options = this->options(Task::kSequenceClassification, 8);
  EXPECT_THAT(failure("f.csv", "text,n\na,1\n", options), AllOf(HasSubstr("f.csv"), HasSubstr("no labels")));
  EXPECT_THAT(failure("f.csv", "text,label\na,1\n", this->options(Task::kSequenceClassification, 1)),
              HasSubstr("max_length"));
  DataSet data;
  data.label_count = 2;
  data.examples = {{"a", {}, 1}, {"b", {}, 2, "x7"}};
  const auto refused = [&] {
    try {
      classification_rows(data, "train.csv", *tokenizer_, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(),
            "train.csv: example 2 ('x7'): label '2' is not valid; expected a number from 0 to 1, for 2 classes.");
  data.examples[1].label.reset();
  EXPECT_EQ(refused(), "train.csv: example 2 ('x7') has no label, which training needs");
  data.examples[1].label = -1;
  EXPECT_THAT(refused(), HasSubstr("label '-1'"));
  data.examples[1].label = 0;
  EXPECT_EQ(refused(), "accepted");
}

TEST_F(TrainingRowsTest, AreASeededDrawWithinALimit) {
  std::string file = "text,label\n";
  for (int i = 0; i < 100; ++i) file += "a," + std::to_string(i) + "\n";
  TrainingRowsOptions options = this->options(Task::kSequenceClassification, 8);
  const auto drawn = [&](std::int64_t limit, std::uint64_t seed) {
    options.limit = limit;
    options.seed = seed;
    const LabelledRows read = this->read("f.csv", file, options);
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < read.rows->size(); ++i) labels.push_back(labels_of(read, i).front());
    return labels;
  };
  const std::vector<std::int64_t> ten = drawn(10, 1);
  EXPECT_EQ(ten.size(), 10U);
  EXPECT_EQ(std::set<std::int64_t>(ten.begin(), ten.end()).size(), 10U);
  EXPECT_EQ(drawn(10, 1), ten);
  EXPECT_NE(drawn(10, 2), ten);
  EXPECT_EQ(drawn(1000, 1).size(), 100U);
  options.limit = 0;
  EXPECT_THAT(failure("f.csv", file, options), HasSubstr("limit '0'"));
}

// One article with one context and its questions: each a text, and the answers' starts and texts.
std::string squad(const std::string& context, const std::vector<std::pair<std::string, std::string>>& questions) {
  std::string file = R"({"data": [{"paragraphs": [{"context": ")" + context + R"(", "qas": [)";
  for (std::size_t i = 0; i < questions.size(); ++i) {
    file += (i > 0 ? "," : "") + (R"({"id": "n)" + std::to_string(i)) + R"(", "question": ")" + questions[i].first +
            R"(", "answers": [)" + questions[i].second + "]}";
  }
  return file + "]}]}]}";
}

std::string answer(std::size_t start, const std::string& text) {
  return R"({"answer_start": )" + std::to_string(start) + R"(, "text": ")" + text + "\"}";
}

TEST_F(TrainingRowsTest, OfAnswersAreTheirFirstAndLastToken) {
  const LabelledRows read =
      this->read("f.json",
                 squad("ab bcd é e.", {{"q", answer(3, "bcd é")},                      // whole tokens
                                       {"q q", answer(1, "b")},                        // the second token of "ab"
                                       {" \\u00a0q", answer(4, "c")},                  // inside of "bcd"
                                       {"q", answer(9, "e") + "," + answer(0, "ab")},  // of several the first
                                       {"q", ""},                                      // none
                                       {"q", answer(9, "e.")}}),                       // up to the context's end
                 options(Task::kQuestionAnswering, 20));
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kSpan);
  EXPECT_EQ(read.rows->row_count(), 6);
  EXPECT_EQ(read.class_count, 0);
  // [CLS] q [SEP] a ##b bcd e e . [SEP]
  EXPECT_THAT(ids_of(read, 0), ElementsAre(2, 13, 3, 5, 11, 14, 9, 9, 15, 3));
  EXPECT_EQ(ids_of(read, 2), ids_of(read, 0)) << "white space before a question is dropped";
  EXPECT_THAT(labels_of(read, 0), ElementsAre(5, 6));
  EXPECT_THAT(labels_of(read, 1), ElementsAre(5, 5));
  EXPECT_THAT(labels_of(read, 2), ElementsAre(5, 5));
  EXPECT_THAT(labels_of(read, 3), ElementsAre(7, 7)) << "characters, not bytes";
  EXPECT_THAT(labels_of(read, 4), ElementsAre(0, 0));
  EXPECT_THAT(labels_of(read, 5), ElementsAre(7, 8));
}

TEST_F(TrainingRowsTest, OfAnswersAreWindowsOverTheContext) {
  TrainingRowsOptions options = this->options(Task::kQuestionAnswering, 7);  // three tokens of the context
  options.stride = 2;
  const std::string file =
      squad("a b c d e", {{"q", answer(4, "c d")}, {"q", answer(0, "a b c d")}, {"q", answer(4, "c")}});
  const LabelledRows read = this->read("f.json", file, options);
  EXPECT_EQ(read.rows->size(), 3U);
  EXPECT_EQ(read.rows->row_count(), 9);
  ASSERT_EQ(read.rows->rows(0, 0).size(), 3U);
  EXPECT_THAT(ids_of(read, 0, 0), ElementsAre(2, 13, 3, 5, 6, 7, 3));
  EXPECT_THAT(ids_of(read, 0, 1), ElementsAre(2, 13, 3, 6, 7, 8, 3));
  EXPECT_THAT(ids_of(read, 0, 2), ElementsAre(2, 13, 3, 7, 8, 9, 3));
  EXPECT_THAT(labels_of(read, 0, 0), ElementsAre(0, 0)) << "lacks the answer's end";
  EXPECT_THAT(labels_of(read, 0, 1), ElementsAre(4, 5));
  EXPECT_THAT(labels_of(read, 0, 2), ElementsAre(3, 4));
  for (std::size_t part = 0; part < 3; ++part) EXPECT_THAT(labels_of(read, 1, part), ElementsAre(0, 0));
  EXPECT_THAT(labels_of(read, 2, 0), ElementsAre(5, 5)) << "in the last token of the window";
  EXPECT_THAT(labels_of(read, 2, 2), ElementsAre(3, 3)) << "in its first";
  options.stride = 3;
  EXPECT_THAT(failure("f.json", file, options), AllOf(HasSubstr("f.json: question 'n0'"), HasSubstr("max_length '7'")));
  options.max_length = 9;
  EXPECT_EQ(this->read("f.json", file, options).rows->row_count(), 3) << "what fits needs no room to overlap";
  options.max_length = 4;
  EXPECT_THAT(failure("f.json", file, options), HasSubstr("max_length '4'"));
}

TEST_F(TrainingRowsTest, OfAnswersCountTheWindowsOfEachQuestion) {
  std::string context = "a";
  for (int i = 0; i < 60; ++i) context += i % 3 == 0 ? " bcd" : " ab";
  TrainingRowsOptions options = this->options(Task::kQuestionAnswering, 24);
  options.stride = 7;
  const LabelledRows read =
      this->read("f.json", squad(context, {{"q", ""}, {"q q q q", ""}, {"q q q q q q q q", answer(0, "a")}}), options);
  std::int64_t rows = 0;
  std::set<std::size_t> counts;
  for (std::size_t i = 0; i < read.rows->size(); ++i) {
    const std::size_t count = read.rows->rows(i, 0).size();
    rows += static_cast<std::int64_t>(count);
    counts.insert(count);
  }
  EXPECT_EQ(read.rows->row_count(), rows);
  EXPECT_EQ(counts.size(), 3U) << "longer questions leave less room";
}

TEST_F(TrainingRowsTest, OfAnswersDrawnKeepTheirContexts) {
  std::string file = R"({"data": [)";
  for (int i = 0; i < 40; ++i) {
    const bool is_even = i % 2 == 0;
    file += (i > 0 ? "," : "") + (R"({"id": "n)" + std::to_string(i)) + R"(", "question": ")" + (is_even ? "a" : "b") +
            R"(", "context": ")" + (is_even ? "c" : "d e") + R"(", "answers": {"text": [")" + (is_even ? "c" : "e") +
            R"("], "answer_start": [)" + (is_even ? "0" : "2") + "]}}";
  }
  TrainingRowsOptions options = this->options(Task::kQuestionAnswering, 10);
  options.limit = 11;
  const LabelledRows read = this->read("f.json", file + "]}", options);
  EXPECT_EQ(read.rows->size(), 11U);
  std::set<std::vector<std::int32_t>> seen;
  for (std::size_t i = 0; i < 11; ++i) {
    const std::vector<std::int32_t> ids = ids_of(read, i);
    const std::int64_t place = ids.size() == 5 ? 3 : 4;
    EXPECT_THAT(labels_of(read, i), ElementsAre(place, place));
    seen.insert(ids);
  }
  EXPECT_THAT(seen, ElementsAre(std::vector<std::int32_t>{2, 5, 3, 7, 3}, std::vector<std::int32_t>{2, 6, 3, 8, 9, 3}));
}

constexpr const char* kSentences = "ab\tB-loc\nq.q\tI-per\nc\tO\n\nab\tO\n";

TEST_F(TrainingRowsTest, OfTagsCountAtTheFirstTokenOfAWord) {
  const LabelledRows read = this->read("f.conll", kSentences, options(Task::kTokenClassification, 20));
  EXPECT_THAT(read.class_names, ElementsAre("B-loc", "I-per", "O"));
  EXPECT_EQ(read.class_count, 3);
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kToken);
  EXPECT_EQ(read.rows->size(), 2U);
  // [CLS] a ##b q . q c [SEP]
  EXPECT_THAT(ids_of(read, 0), ElementsAre(2, 5, 11, 13, 15, 13, 7, 3));
  EXPECT_THAT(labels_of(read, 0), ElementsAre(kNone, 0, kNone, 1, kNone, kNone, 2, kNone));
  EXPECT_THAT(labels_of(read, 1), ElementsAre(kNone, 2, kNone, kNone));
}

TEST_F(TrainingRowsTest, OfTagsAreCutAndMayFollowAModelsClasses) {
  TrainingRowsOptions options = this->options(Task::kTokenClassification, 5);
  options.classes = {"O", "I-per", "B-loc", "I-loc"};
  const LabelledRows read = this->read("f.conll", kSentences, options);
  EXPECT_EQ(read.class_count, 4);
  EXPECT_THAT(ids_of(read, 0), ElementsAre(2, 5, 11, 13, 3));
  EXPECT_THAT(labels_of(read, 0), ElementsAre(kNone, 2, kNone, 1, kNone));
  options.classes = {"O", "B-loc"};
  EXPECT_THAT(failure("f.conll", kSentences, options),
              AllOf(HasSubstr("f.conll:2"), HasSubstr("'I-per' is not one of the 2 classes")));
}

TEST_F(TrainingRowsTest, OfTagsTakeABlankAsTheWordsBehindIt) {
  tokenizer_ = load_tokenizer(source_directory() / "tests/data/tokenizers/byte_level_llama3.json");
  const LabelledRows read =
      this->read("f.conll", "Ann\tB-x\nsaw\tO\nthe\tO\nZyxw-Vuts\tB-y\n", options(Task::kTokenClassification, 64));
  const std::vector<Token> tokens = tokenizer_->tokenize("Ann saw the Zyxw-Vuts");
  const std::vector<std::int64_t> labels = labels_of(read, 0);
  ASSERT_EQ(labels.size(), tokens.size());
  const std::vector<std::size_t> begins = {0, 3, 7, 11};  // of the words, with the blank before them
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto word = std::find(begins.begin(), begins.end(), tokens[i].bytes.begin);
    const std::vector<std::int64_t> classes = {0, 2, 2, 1};
    const bool is_first = !tokens[i].special && word != begins.end();
    EXPECT_EQ(labels[i], is_first ? classes[static_cast<std::size_t>(word - begins.begin())] : kNone) << i;
  }
  EXPECT_EQ(std::count(labels.begin(), labels.end(), kNone), static_cast<std::ptrdiff_t>(labels.size()) - 4);
}

TEST_F(TrainingRowsTest, OfRunningTextAreBlocksOfWholeLength) {
  // [CLS] a b [SEP], [CLS] [SEP] of the line break, [CLS] c [SEP]; the ninth token is dropped.
  const LabelledRows read = this->read("f.txt", "a b\n\nc", options(Task::kCausalLm, 4));
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kToken);
  EXPECT_EQ(read.rows->size(), 2U);
  EXPECT_THAT(ids_of(read, 0), ElementsAre(2, 5, 6, 3));
  EXPECT_THAT(ids_of(read, 1), ElementsAre(2, 3, 2, 7));
  EXPECT_THAT(labels_of(read, 1), ElementsAre(2, 3, 2, 7));
  TrainingRowsOptions one = options(Task::kCausalLm, 4);
  one.limit = 1;
  EXPECT_EQ(this->read("f.txt", "a b\n\nc", one).rows->size(), 1U);
  EXPECT_EQ(this->read("f.jsonl", "{\"text\": \"a b\"}\n{\"text\": \"c\"}\n", options(Task::kCausalLm, 7)).rows->size(),
            1U);
}

TEST_F(TrainingRowsTest, OfRunningTextKeepItsLineBreaks) {
  tokenizer_ = load_tokenizer(source_directory() / "tests/data/tokenizers/byte_level_llama3.json");
  const std::string text = "Ann saw\r\n\n the bird.\nIt flew";
  std::vector<std::int32_t> expected;
  for (const char* line : {"Ann saw\n", "\n", " the bird.\n", "It flew"}) {
    const std::vector<std::int32_t> ids = tokenizer_->encode(line).ids;
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  const LabelledRows read =
      this->read("f.txt", text, options(Task::kCausalLm, static_cast<std::int64_t>(expected.size())));
  EXPECT_EQ(ids_of(read, 0), expected);
  EXPECT_EQ(tokenizer_->decode(expected), "Ann saw\n\n the bird.\nIt flew");
}

TEST_F(TrainingRowsTest, OfRunningTextNeedEnoughOfIt) {
  EXPECT_THAT(failure("f.txt", "a b", options(Task::kCausalLm, 5)),
              AllOf(HasSubstr("f.txt: 4 tokens are too few"), HasSubstr("max_length 5")));
  EXPECT_THAT(failure("f.txt", "a b", options(Task::kCausalLm, 1)), HasSubstr("max_length '1'"));
  EXPECT_THAT(failure("f.tsv", "sentence1\tsentence2\tlabel\na b\tc\t1\n", options(Task::kCausalLm, 2)),
              HasSubstr("--text-column"));
  EXPECT_THAT(failure("f.conll", kSentences, options(Task::kCausalLm, 2)), HasSubstr("file for token_classification"));
}

TEST_F(TrainingRowsTest, OfTargetsHaveTheirTokensForLabels) {
  const LabelledRows read = this->read("f.csv", "text,target\na b,c\nc,a b c d e\n", options(Task::kSeq2SeqLm, 5));
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kTarget);
  EXPECT_EQ(read.rows->size(), 2U);
  EXPECT_EQ(read.class_count, 0);
  EXPECT_THAT(ids_of(read, 0), ElementsAre(2, 5, 6, 3));
  EXPECT_THAT(labels_of(read, 0), ElementsAre(2, 7, 3));
  EXPECT_THAT(ids_of(read, 1), ElementsAre(2, 7, 3));
  EXPECT_THAT(labels_of(read, 1), ElementsAre(2, 5, 6, 7, 3)) << "cut as its text is";
  const LabelledRows lines =
      this->read("f.jsonl", "{\"document\": \"a\", \"summary\": \"b\"}\n", options(Task::kSeq2SeqLm, 5));
  EXPECT_THAT(labels_of(lines, 0), ElementsAre(2, 6, 3));
}

TEST_F(TrainingRowsTest, OfTargetsNeedOneForEachText) {
  const TrainingRowsOptions options = this->options(Task::kSeq2SeqLm, 5);
  EXPECT_THAT(failure("f.csv", "text,label\na,1\n", options),
              AllOf(HasSubstr("f.csv: the examples have no target texts"), HasSubstr("--label-column"),
                    HasSubstr("known names: target, summary, output, highlights, answer")));
  EXPECT_THAT(failure("f.csv", "id,text,target\nx7,a,b\nx8,a, \n", options),
              HasSubstr("f.csv: example 2 ('x8') has no target text"));
  EXPECT_THAT(failure("f.tsv", "sentence1\tsentence2\ttarget\na b\tc\td\n", options),
              AllOf(HasSubstr("seq2seq_lm needs single texts"), HasSubstr("--text-column")));
  EXPECT_THAT(failure("f.conll", kSentences, options),
              HasSubstr("is a file for token_classification, which seq2seq_lm cannot be trained on"));
  EXPECT_THAT(failure("f.csv", "text,target\na,b\n", this->options(Task::kSeq2SeqLm, 1)), HasSubstr("max_length"));
}

TEST_F(TrainingRowsTest, OfRandomTextsAreTargetsOfTheSameTokens) {
  const auto rows = synthetic_training_rows(4, 0, *tokenizer_, options(Task::kSeq2SeqLm, 12));
  EXPECT_EQ(rows->label_kind(), LabelKind::kTarget);
  bool has_another_order = false;
  for (std::size_t i = 0; i < 4; ++i) {
    const TrainingRow row = rows->rows(i, 0).at(0);
    const std::vector<std::int64_t> ids(row.encoding.ids.begin(), row.encoding.ids.end());
    EXPECT_EQ(row.labels.front(), 2);
    EXPECT_EQ(row.labels.back(), 3);
    EXPECT_THAT(row.labels, testing::UnorderedElementsAreArray(ids));
    has_another_order = has_another_order || row.labels != ids;
    EXPECT_EQ(rows->rows(i, 1).at(0).labels, row.labels) << "in each epoch";
  }
  EXPECT_TRUE(has_another_order);
}

TEST_F(TrainingRowsTest, OfHiddenTokensHaveTheirIds) {
  std::string text = "a\n";
  for (int i = 0; i < 500; ++i) text += "b ";
  TrainingRowsOptions options = this->options(Task::kMaskedLm, 402);
  options.seed = 3;
  const LabelledRows read = this->read("f.txt", text, options);
  EXPECT_EQ(read.rows->size(), 2U);
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kToken);
  int hidden = 0, masked = 0, kept = 0;
  constexpr int kEpochs = 100;
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const TrainingRow row = read.rows->rows(1, epoch).at(0);
    ASSERT_EQ(row.encoding.ids.size(), 402U);
    ASSERT_EQ(row.labels.size(), 402U);
    EXPECT_EQ(row.encoding.ids.front(), 2);
    EXPECT_EQ(row.encoding.ids.back(), 3);
    EXPECT_EQ(row.labels.front(), kNone);
    EXPECT_EQ(row.labels.back(), kNone);
    for (std::size_t i = 1; i < 401; ++i) {
      if (row.labels[i] == kNone) {
        EXPECT_EQ(row.encoding.ids[i], 6);
        continue;
      }
      EXPECT_EQ(row.labels[i], 6);
      EXPECT_LT(row.encoding.ids[i], tokenizer_->vocabulary_size());
      ++hidden;
      masked += row.encoding.ids[i] == 4 ? 1 : 0;
      kept += row.encoding.ids[i] == 6 ? 1 : 0;
    }
  }
  // Of 40,000 tokens 15 %, standard deviation 71; of 6,000 the mask token 80 % and by chance one of 16 of 10 %, 30; of
  // those kept the same of 10 %, 24. Five deviations each.
  EXPECT_NEAR(hidden, 6000, 5 * 71);
  EXPECT_NEAR(masked, hidden * (0.8 + 0.1 / 16), 5 * 30);
  EXPECT_NEAR(kept, hidden * (0.1 + 0.1 / 16), 5 * 24);
  EXPECT_EQ(read.rows->rows(1, 7).at(0).labels, read.rows->rows(1, 7).at(0).labels);
  EXPECT_NE(read.rows->rows(1, 7).at(0).labels, read.rows->rows(1, 8).at(0).labels);
}

TEST_F(TrainingRowsTest, OfHiddenTokensNeedAMaskToken) {
  TrainingRowsOptions options = this->options(Task::kMaskedLm, 8);
  options.masked_share = 0;
  EXPECT_THAT(failure("f.txt", "a b", options), HasSubstr("masked share '0'"));
  options.masked_share = 0.15;
  tokenizer_ = load_tokenizer(source_directory() / "tests/data/tokenizers/byte_level_llama3.json");
  EXPECT_THAT(failure("f.txt", "a b", options, ErrorKind::kUnsupported), HasSubstr("no mask token"));
}

TEST_F(TrainingRowsTest, AreRefusedForTasksAndFilesThatDoNotFit) {
  EXPECT_THAT(failure("f.txt", "a b", options(Task::kEmbedding, 8), ErrorKind::kUnsupported), HasSubstr("no labels"));
  EXPECT_THAT(failure("f.txt", "a b", options(Task::kCausalLm, 0)), HasSubstr("max_length '0'"));
  EXPECT_THAT(failure("f.txt", "a b", options(Task::kQuestionAnswering, 8)),
              AllOf(HasSubstr("f.txt is a file for causal_lm"), HasSubstr("question_answering")));
  EXPECT_THAT(failure("f.conll", kSentences, options(Task::kSequenceClassification, 8)),
              HasSubstr("file for token_classification"));
}

TEST_F(TrainingRowsTest, OfRandomTokensAreOfOneLengthWithLabelsOfTheTask) {
  const std::map<Task, std::set<std::int64_t>> expected = {
      {Task::kSequenceClassification, {0, 1, 2}},
      {Task::kTokenClassification, {kNone, 0, 1, 2}},
      {Task::kQuestionAnswering, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
      {Task::kCausalLm, {2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},  // the vocabulary but [PAD], [UNK] and [MASK]
      {Task::kMaskedLm, {kNone, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
  };
  for (const auto& [task, labels] : expected) {
    SCOPED_TRACE(name_of(task));
    TrainingRowsOptions options = this->options(task, 9);
    const auto rows = synthetic_training_rows(200, 3, *tokenizer_, options);
    EXPECT_EQ(rows->size(), 200U);
    EXPECT_EQ(rows->row_count(), 200);
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const std::vector<TrainingRow> one = rows->rows(i, 0);
      ASSERT_EQ(one.size(), 1U);
      EXPECT_EQ(one[0].encoding.ids.size(), 9U);
      EXPECT_EQ(one[0].labels.size(), task == Task::kSequenceClassification ? 1U
                                      : task == Task::kQuestionAnswering    ? 2U
                                                                            : 9U);
      EXPECT_TRUE(task != Task::kQuestionAnswering || one[0].labels[0] <= one[0].labels[1]);
      EXPECT_EQ(one[0].labels, rows->rows(i, 0)[0].labels);
      seen.insert(one[0].labels.begin(), one[0].labels.end());
    }
    EXPECT_EQ(seen, labels);
    options.seed = 1;
    EXPECT_NE(synthetic_training_rows(1, 3, *tokenizer_, options)->rows(0, 0)[0].encoding.ids,
              rows->rows(0, 0)[0].encoding.ids);
  }
}

TEST_F(TrainingRowsTest, OfRandomTokensNeedRowsAndClasses) {
  const auto make = [&](std::size_t count, std::int64_t classes, Task task) {
    return synthetic_training_rows(count, classes, *tokenizer_, options(task, 9));
  };
  EXPECT_NO_THROW(make(1, 0, Task::kCausalLm));
  EXPECT_THROW(make(5, 0, Task::kSequenceClassification), Error);
  EXPECT_THROW(make(0, 2, Task::kSequenceClassification), Error);
  EXPECT_THROW(make(5, 2, Task::kEmbedding), Error);
}

}  // namespace
}  // namespace transformeter

// Regression and multi-label classification: rows, answers, files of them and scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "support/temporary_folder.h"
#include "tasks/score_files.h"
#include "tasks/task_type.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum Task;

class NumberTasks : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view content) const {
    return folder_.write(name, content).string();
  }

  LabelledRows read(Task task, const std::string& path, const DataOptions& data = {},
                    const ModelConfig* trained = nullptr) const {
    TrainingRowsOptions options;
    options.task = task;
    options.max_length = 8;
    options.trained = trained;
    return read_training_rows(path, data, *tokenizer_, options);
  }

  static std::vector<float> numbers_of(const LabelledRows& read, std::size_t example) {
    return read.rows->rows(example, 0).at(0).numbers;
  }

  template <typename Act>
  static std::string failure_of(const Act& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "accepted";
  }

  std::string predictions_file(Task task, const std::string& data, const std::vector<Prediction>& predictions) const {
    const PredictionInputs inputs = load_prediction_inputs(data, task, {});
    std::string text;
    const auto file = make_prediction_file(task, inputs, [&](std::string_view piece) { text += piece; });
    for (std::size_t i = 0; i < predictions.size(); ++i) file->add(i, predictions[i]);
    file->finish();
    return text;
  }

  ScoreReport score(Task task, const std::string& data, const std::string& predictions,
                    const std::string& column = "") const {
    return score_files({task, data, write("predictions", predictions), {}, column}).report;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Tokenizer> tokenizer_ =
      load_tokenizer(folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\n"));
};

// --- Regression ---

constexpr std::string_view kSimilar =
    "sentence1\tsentence2\tscore\na b\tc\t5.000\nb\tc\t0\nc\td e\t-1.25\nd\te\t5.000\n";

TEST_F(NumberTasks, RegressionLearnsTheNumbersOfAColumn) {
  DataOptions score;
  score.label_column = "score";
  const LabelledRows rows = read(kRegression, write("sts.tsv", kSimilar), score);
  EXPECT_EQ(rows.class_count, 1);
  EXPECT_THAT(rows.class_names, IsEmpty());
  EXPECT_EQ(rows.rows->label_kind(), LabelKind::kNumbers);
  EXPECT_THAT(numbers_of(rows, 0), ElementsAre(5.0F));
  EXPECT_THAT(numbers_of(rows, 1), ElementsAre(0.0F));
  EXPECT_THAT(numbers_of(rows, 2), ElementsAre(-1.25F));
  EXPECT_THAT(rows.rows->rows(0, 0).at(0).encoding.ids, ElementsAre(2, 5, 6, 3, 7, 3));
  EXPECT_THAT(rows.rows->rows(0, 0).at(0).labels, IsEmpty());
}

TEST_F(NumberTasks, RegressionTakesWholeNumbersForWhatTheyAre) {
  const LabelledRows rows = read(kRegression, write("n.tsv", "text\tlabel\na\t3\nb\t0\n"));
  EXPECT_THAT(numbers_of(rows, 0), ElementsAre(3.0F));
}

TEST_F(NumberTasks, RegressionRefusesWhatIsNoNumber) {
  const std::string words = write("w.tsv", "text\tlabel\na\tgood\nb\t1\n");
  EXPECT_THAT(failure_of([&] { read(kRegression, words); }), AllOf(HasSubstr("w.tsv"), HasSubstr("'good'")));
  const std::string infinite = write("i.tsv", "text\tlabel\na\tinf\nb\t1\n");
  EXPECT_THAT(failure_of([&] { read(kRegression, infinite); }), HasSubstr("'inf'"));
  const std::string large = write("l.tsv", "text\tlabel\na\t1e300\nb\t1\n");
  EXPECT_THAT(failure_of([&] { read(kRegression, large); }), HasSubstr("'1e300'")) << "infinite in 32 bits";
  const std::string none = write("none.tsv", "text\na\nb\n");
  EXPECT_THAT(failure_of([&] { read(kRegression, none); }), HasSubstr("no labels, which training needs"));
  DataOptions listed;
  listed.labels = write("classes.txt", "a\nb\n");
  EXPECT_THAT(failure_of([&] { read(kRegression, write("n.tsv", "text\tlabel\na\ta\n"), listed); }),
              HasSubstr("--labels lists classes"));
  const std::string tags = write("t.conll", "a\tO\nb\tO\n\n");
  EXPECT_THAT(failure_of([&] { read(kRegression, tags); }), HasSubstr("which regression cannot be trained on"));
}

TEST_F(NumberTasks, RegressionIsScoredByCorrelationsAndError) {
  const std::string data = write("n.tsv", "text\tlabel\na\t0\nb\t3\nc\t2\nd\t5\ne\t5\na b\t0.5\n");
  const ScoreReport report = score(kRegression, data, "0.1\n2.5\n2.5\n4.0\n3.2\n1.0\n");
  ASSERT_EQ(report.scores.size(), 3u);
  EXPECT_EQ(report.scores[0].name, "pearson");
  EXPECT_NEAR(report.scores[0].estimate.value, 0.9484589946924822, 1e-12);
  EXPECT_EQ(report.scores[1].name, "spearman");
  EXPECT_NEAR(report.scores[1].estimate.value, 0.9705882352941178, 1e-12);
  EXPECT_EQ(report.scores[2].name, "mean_squared_error");
  EXPECT_NEAR(report.scores[2].estimate.value, (0.01 + 0.25 + 0.25 + 1 + 3.24 + 0.25) / 6, 1e-12);
  const ScoreReport table = score(kRegression, data, "text,guess\na,0.1\nb,2.5\nc,2.5\nd,4\ne,3.2\na b,1\n", "guess");
  EXPECT_EQ(table.scores[0].estimate.value, report.scores[0].estimate.value);
}

TEST_F(NumberTasks, RegressionWithoutSpreadHasNoCorrelation) {
  const std::string data = write("n.tsv", "text\tlabel\na\t0\nb\t3\nc\t2\n");
  const ScoreReport report = score(kRegression, data, "1\n1\n1\n");
  EXPECT_TRUE(std::isnan(report.scores[0].estimate.value));
  EXPECT_FALSE(report.scores[0].estimate.interval);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("no correlation")));
}

TEST_F(NumberTasks, PredictionsOfNumbersAreHeldToTheData) {
  const std::string data = write("n.tsv", "text\tlabel\na\t0\nb\t3\n");
  EXPECT_THAT(failure_of([&] { score(kRegression, data, "1\nmany\n"); }),
              AllOf(HasSubstr("predictions:2"), HasSubstr("'many'")));
  EXPECT_THAT(failure_of([&] { score(kRegression, data, "1\n"); }), HasSubstr("only 1 predictions"));
  EXPECT_THAT(failure_of([&] { score(kRegression, data, "1\n2\n3\n"); }), HasSubstr("3 predictions for the 2"));
}

TEST_F(NumberTasks, WhatRegressionWritesScoreReads) {
  const std::string data = write("n.tsv", "text\tlabel\na\t0\nb\t3\nc\t1.5\n");
  const std::string text = predictions_file(
      kRegression, data,
      {{NumberPrediction{{0.1F}}, false}, {NumberPrediction{{3e-8F}}, false}, {NumberPrediction{{-7.25F}}, false}});
  EXPECT_EQ(text, "0.1\n3e-08\n-7.25\n");
  EXPECT_EQ(score(kRegression, data, text).scores[0].estimate.n, 3u);
  EXPECT_THAT(failure_of([&] {
                try {
                  predictions_file(kRegression, data, {{NumberPrediction{{1, 2}}, false}});
                } catch (const Error& error) {
                  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
                  throw Error(ErrorKind::kBadInput, error.what());
                }
              }),
              HasSubstr("2 numbers"));
}

// --- Multi-label classification ---

constexpr std::string_view kMoods =
    "{\"text\": \"a\", \"labels\": [\"joy\", \"love\"]}\n{\"text\": \"b\", \"labels\": []}\n"
    "{\"text\": \"c\", \"labels\": [\"anger\"]}\n{\"text\": \"d\", \"labels\": [\"love\", \"joy\", \"joy\"]}\n";

TEST_F(NumberTasks, LabelListsBecomeANumberForEachClass) {
  const LabelledRows rows = read(kMultiLabelClassification, write("m.jsonl", kMoods));
  EXPECT_THAT(rows.class_names, ElementsAre("anger", "joy", "love"));
  EXPECT_EQ(rows.class_count, 3);
  EXPECT_THAT(numbers_of(rows, 0), ElementsAre(0, 1, 1));
  EXPECT_THAT(numbers_of(rows, 1), ElementsAre(0, 0, 0));
  EXPECT_THAT(numbers_of(rows, 2), ElementsAre(1, 0, 0));
  EXPECT_THAT(numbers_of(rows, 3), ElementsAre(0, 1, 1));
}

TEST_F(NumberTasks, LabelsByCommasAndNumbersServeToo) {
  const LabelledRows rows = read(kMultiLabelClassification, write("g.tsv", "text\tlabels\na\t2,0\nb\t3\nc\t\n"));
  EXPECT_THAT(rows.class_names, IsEmpty());
  EXPECT_EQ(rows.class_count, 4);
  EXPECT_THAT(numbers_of(rows, 0), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(numbers_of(rows, 1), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(numbers_of(rows, 2), ElementsAre(0, 0, 0, 0));
}

TEST_F(NumberTasks, AListOfClassesOrATrainedModelGivesTheirOrder) {
  DataOptions listed;
  listed.labels = write("classes.txt", "love\nhate\njoy\nanger\n");
  const LabelledRows rows = read(kMultiLabelClassification, write("m.jsonl", kMoods), listed);
  EXPECT_THAT(rows.class_names, ElementsAre("love", "hate", "joy", "anger"));
  EXPECT_THAT(numbers_of(rows, 0), ElementsAre(1, 0, 1, 0));
  ModelConfig trained;
  trained.labels = {"love", "joy", "anger"};
  EXPECT_THAT(numbers_of(read(kMultiLabelClassification, write("m.jsonl", kMoods), {}, &trained), 2),
              ElementsAre(0, 0, 1));
  trained.labels = {"love", "hate", "joy", "anger"};
  EXPECT_THAT(read(kMultiLabelClassification, write("m.jsonl", kMoods), {}, &trained).class_names,
              ElementsAre("love", "hate", "joy", "anger"))
      << "a class that the data lacks is not forgotten";
  listed.labels = write("tens.txt", "10\n20\n30\n");
  EXPECT_THAT(numbers_of(read(kMultiLabelClassification, write("t.tsv", "text\tlabels\na\t10\nb\t30\n"), listed), 1),
              ElementsAre(0, 0, 1));
  listed.labels = write("fewer.txt", "love\njoy\n");
  EXPECT_THAT(failure_of([&] { read(kMultiLabelClassification, write("m.jsonl", kMoods), listed); }),
              HasSubstr("'anger'"));
}

TEST_F(NumberTasks, LabelListsAreForMultiLabelClassificationAlone) {
  EXPECT_THAT(failure_of([&] { read(kSequenceClassification, write("m.jsonl", kMoods)); }),
              AllOf(HasSubstr("m.jsonl:1"), HasSubstr("'labels' is an array")));
  EXPECT_THAT(
      failure_of([&] { read(kMultiLabelClassification, write("t.jsonl", "{\"text\": [\"a\"], \"labels\": [1]}\n")); }),
      HasSubstr("'text' is an array"));
  EXPECT_THAT(
      failure_of([&] { read(kMultiLabelClassification, write("e.tsv", "text\tlabels\na\tjoy,,love\nb\tjoy\n")); }),
      HasSubstr("none of them empty"));
  EXPECT_THAT(
      failure_of([&] { read(kMultiLabelClassification, write("v.tsv", "text\tlabels\na\t0,1,0\nb\t1,1,0\n")); }),
      HasSubstr("each once"));
  EXPECT_THAT(failure_of([&] {
                read(kMultiLabelClassification, write("null.jsonl", "{\"text\": \"a\", \"labels\": [\"x\", null]}\n"));
              }),
              HasSubstr("a list of names or of whole numbers"));
  EXPECT_THAT(failure_of([&] { read(kMultiLabelClassification, write("n.tsv", "text\tlabels\na\t[]\n")); }),
              HasSubstr("no example has a label"));
}

TEST_F(NumberTasks, LabelSetsAreScoredByF1AndAsAWhole) {
  const std::string data = write("m.jsonl", kMoods);
  const ScoreReport report = score(kMultiLabelClassification, data, "[\"joy\",\"love\"]\n[]\n[\"joy\"]\n[\"love\"]\n");
  ASSERT_EQ(report.scores.size(), 3u);
  EXPECT_EQ(report.scores[0].name, "micro_f1");
  EXPECT_DOUBLE_EQ(report.scores[0].estimate.value, 2.0 * 3 / (5 + 4));
  EXPECT_EQ(report.scores[1].name, "macro_f1");
  EXPECT_DOUBLE_EQ(report.scores[1].estimate.value, (0 + 2.0 / 4 + 1) / 3);
  EXPECT_EQ(report.scores[2].name, "subset_accuracy");
  EXPECT_DOUBLE_EQ(report.scores[2].estimate.value, 0.5);
  EXPECT_THAT(failure_of([&] { score(kMultiLabelClassification, data, "[\"joy\"]\n[]\n[\"fear\"]\n[]\n"); }),
              AllOf(HasSubstr("predictions:3"), HasSubstr("'fear'"), HasSubstr("anger, joy, love")));
  EXPECT_THAT(failure_of([&] { score(kMultiLabelClassification, data, "[0]\n[]\n[]\n[]\n"); }),
              AllOf(HasSubstr("'0'"), HasSubstr("--labels FILE")))
      << "names that were only sorted have no numbers";
  EXPECT_NO_THROW(score(kMultiLabelClassification, data, "text,prediction\na,joy\nb,\nc,anger\nd,\n"));
}

TEST_F(NumberTasks, WhatMultiLabelClassificationWritesScoreReads) {
  const std::string data = write("m.jsonl", kMoods);
  const std::vector<Prediction> predictions = {
      {LabelSetPrediction{{{1, "joy", 0.9}, {2, "love", 0.6}}, {-1, 2, 1}}, false},
      {LabelSetPrediction{{}, {-1, -2, -1}}, false},
      {LabelSetPrediction{{{0, "anger", 0.9}}, {1, -2, -1}}, false},
      {LabelSetPrediction{{}, {-1, -2, -1}}, false}};
  const std::string text = predictions_file(kMultiLabelClassification, data, predictions);
  EXPECT_EQ(text, "[\"joy\",\"love\"]\n[]\n[\"anger\"]\n[]\n");
  EXPECT_DOUBLE_EQ(score(kMultiLabelClassification, data, text).scores[2].estimate.value, 0.75);
  const std::string numbered = write("g.tsv", "text\tlabels\na\t1,2\nb\t\nc\t0\nd\t1,2\n");
  const std::string numbers = predictions_file(kMultiLabelClassification, numbered, predictions);
  EXPECT_EQ(numbers, "[1,2]\n[]\n[0]\n[]\n") << "names of the model are none of the data";
  EXPECT_DOUBLE_EQ(score(kMultiLabelClassification, numbered, numbers).scores[2].estimate.value, 0.75);
  EXPECT_THAT(
      failure_of([&] {
        predictions_file(kMultiLabelClassification, data, {{LabelSetPrediction{{{0, "LABEL_0", 0.9}}, {1}}, false}});
      }),
      HasSubstr("--labels FILE"));
}

TEST_F(NumberTasks, AnswersAreTheLabelsAboveOneHalf) {
  const PredictionModel model{*tokenizer_, {"anger", "joy", "love"}, 8};
  PredictionOptions options;
  options.max_length = 8;
  const auto task = make_prediction_task(kMultiLabelClassification, model, options);
  const PredictionInput input{"a", {}, {}};
  const std::vector<float> logits = {-0.5F, 0.0F, std::log(3.0F)};
  const std::vector<RowOutput> outputs = {{logits, 3}};
  const auto answer = std::get<LabelSetPrediction>(task->encode(input)->decode(outputs).value);
  ASSERT_EQ(answer.labels.size(), 1u);
  EXPECT_EQ(answer.labels[0].label, "love");
  EXPECT_NEAR(answer.labels[0].score, 0.75, 1e-6);
  EXPECT_EQ(answer.logits, logits);
}

// --- Random labels of both ---

TEST_F(NumberTasks, SyntheticRowsHaveANumberForEachOutput) {
  for (const Task task : {kRegression, kMultiLabelClassification}) {
    TrainingRowsOptions options;
    options.task = task;
    options.max_length = 6;
    const auto rows = synthetic_training_rows(20, 3, *tokenizer_, options);
    std::vector<float> seen;
    for (std::size_t i = 0; i < 20; ++i) {
      const std::vector<float> numbers = rows->rows(i, 0).at(0).numbers;
      ASSERT_EQ(numbers.size(), 3u);
      EXPECT_EQ(rows->rows(i, 1).at(0).numbers, numbers) << "the same in each epoch";
      seen.insert(seen.end(), numbers.begin(), numbers.end());
    }
    EXPECT_NE(*std::max_element(seen.begin(), seen.end()), *std::min_element(seen.begin(), seen.end()));
  }
}

}  // namespace
}  // namespace transformeter

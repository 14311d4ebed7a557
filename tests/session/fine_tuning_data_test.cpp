// What is learnt from and what is scored by: limits, splits, classes and their names.
#include "session/fine_tuning_data.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "support/wav_file.h"
#include "train/loss.h"
#include "train/micro_batch.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kModels = source_directory() / "tests/data/models";
constexpr const char* kAllTags = "Ann\tB-PER\nSmith\tI-PER\nsaw\tO\nBad\tB-LOC\nEms\tI-LOC\n";

// A row of which no token counts.
class Unlabelled final : public TrainingRows {
 public:
  explicit Unlabelled(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::size_t size() const override { return 1; }
  std::int64_t row_count() const override { return 1; }
  std::vector<TrainingRow> rows(std::size_t /*example*/, std::int64_t /*epoch*/) const override {
    TrainingRow row{tokenizer_.encode("the film", {}), {}};
    row.labels.assign(row.encoding.ids.size(), kNoLabel);
    return {row};
  }
  LabelKind label_kind() const override { return LabelKind::kToken; }

 private:
  const Tokenizer& tokenizer_;
};

class LearningDataTest : public testing::Test {
 protected:
  LearningDataTest() {
    request_.task = Task::kSequenceClassification;
    request_.model = "bert-test";
    request_.scenario = Scenario::kFinetune;
    request_.batch_size = 4;
    request_.sequence_length = 16;
    request_.precision = "fp32";
    request_.attention = "sdpa";
    request_.device = "cpu";
  }

  std::string file(const std::string& name, const std::string& content) const {
    return folder_.write(name, content).string();
  }

  struct Loaded {
    Training training;
    std::unique_ptr<Validation> validation;
  };
  Loaded load() const {
    FineTuningData data;
    Training training = load_training(request_, context_, parts_, [&](const Training& begun) {
      data = read_fine_tuning_data(begun, context_, options_, [] {});
      return std::move(data.rows);
    });
    return {std::move(training), std::move(data.validation)};
  }
  std::string refusal() const {
    try {
      load();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput) << error.what();
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  Context context_{clock_, [](LogLevel, std::string_view) {}, {}, source_directory() / "share"};
  WorkerParts parts_ = builtin_parts();
  Case request_;
  FineTuneOptions options_;
};

TEST_F(LearningDataTest, TheLimitIsOfWhatIsLearntFrom) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "the quick brown fox jumps over the lazy dog\n";
  request_.model = "gpt2-test";
  request_.task = Task::kCausalLm;
  request_.data = file("learnt.txt", text);
  options_.evaluation_data = file("other.txt", text);
  const auto scored_tokens = [&] {
    const Loaded loaded = load();
    return loaded.validation->validate(loaded.training, [] {}).scores.front().estimate.n;
  };
  const std::size_t all = scored_tokens();
  EXPECT_GT(all, 100U);
  request_.limit = 1;
  EXPECT_EQ(load().training.rows.rows->row_count(), 1);
  EXPECT_EQ(scored_tokens(), all);
}

TEST_F(LearningDataTest, TokensOfWhichNoneCountsHaveNoPerplexity) {
  request_.task = Task::kMaskedLm;
  request_.data = file("t.txt", "the film was good\n");
  const Training training = load().training;
  LabelledRows rows;
  rows.rows = std::make_unique<Unlabelled>(*training.tokenizer);
  try {
    make_token_validation(std::move(rows))->validate(training, [] {});
    ADD_FAILURE() << "a perplexity of nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("no perplexity"));
  }
}

TEST_F(LearningDataTest, OneFileServesForBothByItsSplits) {
  request_.data = file("splits.json", R"({"train": [["good film", "a"], ["bad film", "b"]], "val": [["fine", "a"]]})");
  request_.split = "train";
  options_.evaluation_data = request_.data;
  options_.evaluation_split = "val";
  EXPECT_NE(load().validation, nullptr);
  options_.evaluation_split = "train";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("splits.json: training and evaluation use the same data (split train)"),
                               HasSubstr("--evaluation-share")));
}

TEST_F(LearningDataTest, TheSameFileTwiceIsRefused) {
  request_.data = file("t.csv", "text,label\ngood,1\nbad,0\n");
  options_.evaluation_data = (folder_.path() / "." / "t.csv").string();
  EXPECT_THAT(refusal(), HasSubstr("training and evaluation use the same data;"));
  request_.task = Task::kTokenClassification;
  request_.data = options_.evaluation_data = file("t.conll", kAllTags);
  EXPECT_THAT(refusal(), HasSubstr("training and evaluation use the same data;"));
  options_.evaluation_split = "val";
  EXPECT_THAT(refusal(), HasSubstr("have no splits"));
}

TEST_F(LearningDataTest, AQuestionThatCannotBeScoredIsKnownBeforeAnythingIsLearnt) {
  const auto squad = [](const std::string& id, const std::string& question) {
    return R"({"data": [{"title": "t", "id": ")" + id + R"(", "question": ")" + question +
           R"(", "context": "It was Ann.", "answers": {"text": ["Ann"], "answer_start": [7]}}]})";
  };
  request_.task = Task::kQuestionAnswering;
  request_.stride = 4;
  request_.data = file("t.json", squad("a", "Who was it?"));
  options_.evaluation_data = file("dev.json", squad("b", "Who?"));
  EXPECT_NE(load().validation, nullptr);
  std::string long_question;
  for (int i = 0; i < 20; ++i) long_question += "who ";
  options_.evaluation_data = file("long.json", squad("c", long_question));
  EXPECT_THAT(refusal(), HasSubstr("long.json: question 'c': "));
}

// As a training that is measured, which reads by read_training_rows.
TEST_F(LearningDataTest, OptionsAndFormsThatAFileHasNotAreRefused) {
  const auto refused_by_train = [&] {
    try {
      load_training(request_, context_, parts_, [&](const Training& begun) { return read_rows(begun, context_); });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string tags = file("t.conll", kAllTags);
  const std::string table = file("t.csv", "text,label\ngood,1\nbad,0\n");
  const std::string questions =
      file("t.json", R"({"data": [{"id": "a", "question": "Who?", "context": "Ann.", "answers": []}]})");
  request_.task = Task::kTokenClassification;
  request_.data = tags;
  request_.split = "train";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("t.conll"), HasSubstr("split")));
  EXPECT_EQ(refusal(), refused_by_train());
  request_.task = Task::kQuestionAnswering;
  request_.data = questions;
  request_.split.clear();
  request_.text_column = "question";
  EXPECT_THAT(refusal(), HasSubstr("t.json"));
  EXPECT_EQ(refusal(), refused_by_train());
  request_.text_column.clear();
  request_.data = table;
  EXPECT_THAT(refusal(),
              HasSubstr("is a file for sequence_classification, which question_answering cannot be trained on"));
  EXPECT_EQ(refusal(), refused_by_train());
  request_.task = Task::kSequenceClassification;
  request_.data = questions;
  EXPECT_THAT(refusal(),
              HasSubstr("is a file for question_answering, which sequence_classification cannot be trained on"));
  EXPECT_EQ(refusal(), refused_by_train());
}

TEST_F(LearningDataTest, ATagThatIsNotLearntIsNamedByItsLine) {
  request_.task = Task::kTokenClassification;
  request_.data = file("t.conll", kAllTags);
  options_.evaluation_data = file("dev.conll", "Ann\tB-PER\nAcme\tB-ORG\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("dev.conll:2:"), HasSubstr("'B-ORG' is not one of the 5 classes")));
}

TEST_F(LearningDataTest, ATaggerThatKnowsTheTagsKeepsItsHeadAndTheirOrder) {
  request_.model = (kModels / "tiny-bert-tagger").string();
  request_.task = Task::kTokenClassification;
  request_.data = file("t.conll", kAllTags);
  request_.sequence_length = 32;
  const Training training = load().training;
  EXPECT_THAT(training.config.labels, ElementsAre("O", "B-PER", "I-PER", "B-LOC", "I-LOC"));
  EXPECT_TRUE(training.new_weights.empty());
  std::vector<std::int64_t> classes;
  const std::vector<TrainingRow> rows = training.rows.rows->rows(0, 0);
  for (const std::int64_t label : rows.front().labels) {
    if (label != kNoLabel) classes.push_back(label);
  }
  EXPECT_THAT(classes, ElementsAre(1, 2, 0, 3, 4));
}

TEST_F(LearningDataTest, OtherTagsAreLearntAnewAndSorted) {
  request_.model = (kModels / "tiny-bert-tagger").string();
  request_.task = Task::kTokenClassification;
  request_.data = file("t.conll", "Ann\tB-PER\nsaw\tO\nBonn\tB-LOC\n");
  const Training training = load().training;
  EXPECT_THAT(training.config.labels, ElementsAre("B-LOC", "B-PER", "O"));
  EXPECT_THAT(training.new_weights, Contains("classifier.weight"));
}

TEST_F(LearningDataTest, LabelsThatAreNumbersKeepTheModelsNames) {
  request_.model = (kModels / "tiny-bert-classifier").string();
  request_.data = file("t.csv", "text,label\ngood,2\nbad,0\nso,1\n");
  EXPECT_THAT(load().training.config.labels, ElementsAre("negative", "neutral", "positive"));
  request_.data = file("two.csv", "text,label\ngood,1\nbad,0\n");
  EXPECT_TRUE(load().training.config.labels.empty()) << "of another count: the old names are none of theirs";
}

// The loss of answers is computed beside their scores, that of a step by LibTorch.
TEST_F(LearningDataTest, NumbersAndSetsOfLabelsAreScoredByTheLossThatIsLearnt) {
  struct Asked {
    Task task;
    const char* data;
    std::vector<std::string> scores;
  };
  const std::vector<Asked> all = {{Task::kRegression,
                                   "text,label\nthe film,0.5\na bad film,-1\ngood,2.25\nno,0\n",
                                   {"pearson", "spearman", "mean_squared_error"}},
                                  {Task::kMultiLabelClassification,
                                   "text,label\nthe film,\na bad film,\"joy,love\"\ngood,love\nno,anger\n",
                                   {"micro_f1", "macro_f1", "subset_accuracy"}}};
  for (const Asked& asked : all) {
    SCOPED_TRACE(name_of(asked.task));
    request_.task = asked.task;
    request_.data = file("learnt.csv", asked.data);
    options_.evaluation_data = file("scored.csv", asked.data);
    const Loaded loaded = load();
    const Training& training = loaded.training;
    const ValidationResult scored = loaded.validation->validate(training, [] {});
    std::vector<std::string> names;
    for (const Score& score : scored.scores) names.push_back(score.name);
    EXPECT_EQ(names, asked.scores);
    BatchLoader loader(*training.rows.rows, loader_options(training));
    const MicroBatch batch = make_micro_batch(loader.next(), micro_batch_options(training));
    ASSERT_EQ(batch.labels.count, 4);
    const at::Tensor outputs = training.model->forward(batch.inputs, *training.operators);
    const double learnt = loss_sum(loss_of(asked.task), outputs, batch.labels).item<double>() / 4;
    EXPECT_GT(learnt, 0.01);
    EXPECT_NEAR(scored.loss.value(), learnt, 1e-5);
  }
}

TEST_F(LearningDataTest, OfNumbersAndSetsOfLabelsAShareIsHeldBack) {
  options_.evaluation_share = 0.5;
  for (const Task task : {Task::kRegression, Task::kMultiLabelClassification}) {
    request_.task = task;
    request_.data = file("learnt.csv", "text,label\nthe film,3\na bad film,1\ngood,2\nno,0\n");
    const Loaded loaded = load();
    EXPECT_EQ(loaded.training.rows.rows->row_count(), 2);
    EXPECT_EQ(loaded.validation->validate(loaded.training, [] {}).scores.front().estimate.n, 2U);
    EXPECT_EQ(loaded.training.config.num_labels, task == Task::kRegression ? 1 : 4) << "of both parts";
  }
}

// The loss of the targets' tokens, as it is learnt, and its exponential.
TEST_F(LearningDataTest, TargetsAreScoredByThePerplexityOfTheirTokens) {
  const char* const pairs =
      "document,summary\nthe film was very good,a film\na bad story,sad\nthe plot,slow and dull\nwords,the hour\n";
  request_.model = (kModels / "tiny-t5").string();
  request_.task = Task::kSeq2SeqLm;
  request_.data = file("learnt.csv", pairs);
  options_.evaluation_data = file("scored.csv", pairs);
  const Loaded loaded = load();
  const Training& training = loaded.training;
  EXPECT_TRUE(training.new_weights.empty());
  const ValidationResult scored = loaded.validation->validate(training, [] {});
  BatchLoader loader(*training.rows.rows, loader_options(training));
  const MicroBatch batch = make_micro_batch(loader.next(), micro_batch_options(training));
  const at::Tensor outputs = training.model->forward(batch.inputs, *training.operators);
  const double loss =
      loss_sum(loss_of(request_.task), outputs, batch.labels).item<double>() / static_cast<double>(batch.labels.count);
  EXPECT_TRUE(scored.lower_is_better);
  EXPECT_EQ(scored.scores.front().name, "perplexity");
  EXPECT_EQ(scored.scores.front().estimate.n, static_cast<std::size_t>(batch.labels.count));
  EXPECT_NEAR(scored.loss.value(), loss, 1e-5);
  EXPECT_NEAR(std::log(scored.scores.front().estimate.value), loss, 1e-5);
  options_.evaluation_data.clear();
  options_.evaluation_share = 0.25;
  EXPECT_EQ(load().training.rows.rows->size(), 3U);
  EXPECT_NE(load().validation, nullptr);
}

class LearningSoundsTest : public LearningDataTest {
 protected:
  LearningSoundsTest() {
    request_.model = (kModels / "tiny-wav2vec2-stable").string();
    request_.sequence_length.reset();
    request_.batch_size = 2;
    for (int i = 0; i < 4; ++i) folder_.write(fmt::format("{}.wav", i), wav_file(480 + 160 * i, 16'000, i + 1));
  }
};

// What the model says is far from what is said, whichever that is: as many words are wrong as predict makes.
TEST_F(LearningSoundsTest, TranscriptsAreScoredByTheirErrors) {
  request_.task = Task::kSpeechRecognition;
  request_.data = file("learnt.csv", "path,transcript\n0.wav,TEA\n1.wav,NOT A TOE\n");
  options_.evaluation_data = file("scored.csv", "path,transcript\n2.wav,TEN\n3.wav,A TOE\n0.wav,ONE\n");
  const Loaded loaded = load();
  EXPECT_EQ(loaded.training.rows.rows->size(), 2U);
  EXPECT_TRUE(loaded.training.new_weights.empty());
  int batches = 0;
  const ValidationResult scored = loaded.validation->validate(loaded.training, [&] { ++batches; });
  EXPECT_GE(batches, 2) << "of two sounds and one";
  EXPECT_TRUE(scored.lower_is_better);
  EXPECT_FALSE(scored.loss);
  ASSERT_EQ(scored.scores.size(), 2U);
  EXPECT_EQ(scored.scores[0].name, "word_error_rate");
  EXPECT_EQ(scored.scores[0].estimate.n, 4U) << "words";
  EXPECT_GT(scored.scores[0].estimate.value, 0.5);
  EXPECT_EQ(scored.scores[1].name, "character_error_rate");
  options_.evaluation_data = file("silent.csv", "path,transcript\n2.wav,\n3.wav,\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("silent.csv"), HasSubstr("all 2 transcripts to be scored are empty")));
  options_.evaluation_data.clear();
  options_.evaluation_share = 0.5;
  EXPECT_EQ(load().training.rows.rows->size(), 1U);
  EXPECT_NE(load().validation, nullptr);
}

TEST_F(LearningSoundsTest, ClassesAreScoredAsOthersAre) {
  request_.task = Task::kAudioClassification;
  request_.data = file("learnt.csv", "path,label\n0.wav,low\n1.wav,high\n");
  options_.evaluation_data = file("scored.csv", "path,label\n2.wav,high\n3.wav,low\n0.wav,low\n");
  const Loaded loaded = load();
  EXPECT_THAT(loaded.training.config.labels, ElementsAre("high", "low"));
  EXPECT_THAT(loaded.training.new_weights, Contains("classifier.weight"));
  const ValidationResult scored = loaded.validation->validate(loaded.training, [] {});
  EXPECT_FALSE(scored.lower_is_better);
  EXPECT_EQ(scored.scores.front().estimate.n, 3U);
  EXPECT_TRUE(scored.loss);
}

TEST_F(LearningSoundsTest, FilesThatCannotBeReadAreFoundBeforeTheFirstStep) {
  request_.task = Task::kAudioClassification;
  file("4.wav", "no sound");
  request_.data = file("learnt.csv", "path,label\n0.wav,low\n4.wav,high\n");
  EXPECT_THAT(refusal(), HasSubstr("4.wav"));
  request_.data = file("learnt.csv", "path,label\n0.wav,low\n1.wav,high\n");
  options_.evaluation_data = file("scored.csv", "path,label\n4.wav,low\n");
  EXPECT_THAT(refusal(), HasSubstr("4.wav"));
}

class LearningPairsTest : public LearningDataTest {
 protected:
  LearningPairsTest() {
    request_.model = (kModels / "tiny-clip").string();
    request_.task = Task::kContrastiveImageText;
    request_.sequence_length.reset();
    request_.batch_size = 4;
    for (const char* name : {"420.jpg", "cmyk.jpg", "photo.png", "rgb_8.png"}) {
      fs::copy_file(source_directory() / "tests/data/images" / name, folder_.path() / name);
    }
  }
  // Four images, of which the first has two captions.
  std::string table(const std::string& name) const {
    return file(name,
                "image,caption\n420.jpg,a cat\ncmyk.jpg,a red dog\n420.jpg,the photo of the cat\nphoto.png,of "
                "photo\nrgb_8.png,red\n");
  }
};

// Ranks and loss as of all pairs of both kinds of vectors.
TEST_F(LearningPairsTest, CaptionsAreScoredByRetrieval) {
  request_.data = table("learnt.csv");
  options_.evaluation_data = table("scored.csv");
  const Loaded loaded = load();
  const Training& training = loaded.training;
  EXPECT_EQ(training.rows.rows->size(), 5U);
  EXPECT_TRUE(training.new_weights.empty());
  int batches = 0;
  const ValidationResult scored = loaded.validation->validate(training, [&] { ++batches; });
  EXPECT_GE(batches, 2) << "of four pairs and one";
  EXPECT_FALSE(scored.lower_is_better);
  std::vector<std::string> names;
  for (const Score& score : scored.scores) names.push_back(score.name);
  EXPECT_THAT(names, ElementsAre("image_to_text_recall_at_1", "text_to_image_recall_at_1"))
      << "four images and five captions: every model has all of them among the first five";
  EXPECT_EQ(scored.scores[0].estimate.n, 4U) << "images, each once";
  EXPECT_EQ(scored.scores[0].counts, "images");
  EXPECT_EQ(scored.scores[1].estimate.n, 5U) << "captions";

  LoaderOptions options = loader_options(training);
  options.shuffled = false;
  options.batch_size = 5;
  BatchLoader loader(*training.rows.rows, options);
  const MicroBatch all = make_micro_batch(loader.next(), micro_batch_options(training));
  const at::NoGradGuard guard;
  const at::Tensor logits = training.model->forward(all.inputs, *training.operators);  // [captions, images]
  const at::Tensor found = logits.index_select(1, at::tensor({0, 1, 3, 4}, at::kLong));
  const at::Tensor best_image = found.argmax(1), best_caption = found.argmax(0);
  const std::vector<std::int64_t> image_of{0, 1, 0, 2, 3};
  int images_found = 0, captions_found = 0;
  for (std::int64_t caption = 0; caption < 5; ++caption) {
    images_found += best_image[caption].item<std::int64_t>() == image_of[static_cast<std::size_t>(caption)] ? 1 : 0;
  }
  for (std::int64_t image = 0; image < 4; ++image) {
    const auto caption = static_cast<std::size_t>(best_caption[image].item<std::int64_t>());
    captions_found += image_of[caption] == image ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(scored.scores[0].estimate.value, captions_found / 4.0);
  EXPECT_DOUBLE_EQ(scored.scores[1].estimate.value, images_found / 5.0);
  const auto loss_of = [](const at::Tensor& some) {
    return -(some.log_softmax(1).diagonal() + some.t().log_softmax(1).diagonal()).sum().item<double>() / 2;
  };
  const double loss = loss_of(logits.slice(0, 0, 4).slice(1, 0, 4));  // the last pair is compared with none
  EXPECT_NEAR(scored.loss.value(), loss / 4, 1e-4);
}

TEST_F(LearningPairsTest, OnePairIsNeitherScoredNorLearntFrom) {
  const std::filesystem::path one = file("one.csv", "image,caption\n420.jpg,a cat\n");
  request_.data = table("learnt.csv");
  options_.evaluation_data = one;
  EXPECT_THAT(refusal(), HasSubstr("a single image: recall needs at least two"));
  options_.evaluation_data.clear();
  request_.batch_size = 1;
  EXPECT_THAT(refusal(), HasSubstr("batch_size '1' is not valid; expected at least 2: a pair is learned against"));
  request_.batch_size = 4;
  request_.data = one;
  EXPECT_THAT(refusal(), HasSubstr("there is 1 pair to learn from"));
}

TEST_F(LearningPairsTest, AnImageIsNotOnBothSides) {
  request_.data = file("twice.csv",
                       "image,caption\n420.jpg,a cat\ncmyk.jpg,red\nphoto.png,red\n420.jpg,the cat\n"
                       "cmyk.jpg,a dog\nphoto.png,the dog\n");
  options_.evaluation_share = 0.5;  // three rows, if rows were divided
  const Loaded loaded = load();
  const ValidationResult scored = loaded.validation->validate(loaded.training, [] {});
  EXPECT_EQ(scored.scores[0].estimate.n, 2U) << "images";
  EXPECT_EQ(scored.scores[1].estimate.n, 4U) << "captions";
  EXPECT_EQ(loaded.training.rows.rows->size(), 2U);
  options_.evaluation_share = 0.1;
  EXPECT_THAT(refusal(), HasSubstr("a single image: recall needs at least two"));
}

TEST_F(LearningPairsTest, FilesThatCannotBeReadAreFoundBeforeTheFirstStep) {
  file("broken.png", "no image");
  const std::string broken = file("broken.csv", "image,caption\n420.jpg,a cat\nbroken.png,a dog\n");
  request_.data = broken;
  EXPECT_THAT(refusal(), HasSubstr("broken.png"));
  request_.data = table("learnt.csv");
  options_.evaluation_data = broken;
  EXPECT_THAT(refusal(), HasSubstr("broken.png"));
  options_.evaluation_data = file("silent.csv", "image,label\n420.jpg,1\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("silent.csv"), HasSubstr("captions")));
}

TEST_F(LearningDataTest, LabelsThatAreNumbersOrSetsAreNotSmoothed) {
  request_.label_smoothing = 0.1;
  request_.data = file("learnt.csv", "text,label\nthe film,3\na bad film,1\n");
  for (const Task task : {Task::kRegression, Task::kMultiLabelClassification}) {
    request_.task = task;
    try {
      load();
      ADD_FAILURE() << name_of(task);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr("label_smoothing"));
    }
  }
}

}  // namespace
}  // namespace transformeter

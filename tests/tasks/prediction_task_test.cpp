// Each task between a tokenizer and made-up outputs of a model: which rows it asks for, and what it makes of numbers.
#include "tasks/prediction_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "support/source_tree.h"
#include "tasks/softmax.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

class PredictionTaskTest : public testing::Test {
 protected:
  std::unique_ptr<PredictionTask> make(Task task, const PredictionOptions& options = {},
                                       std::vector<std::string> labels = {}) const {
    return make_prediction_task(task, {*tokenizer_, std::move(labels), kPositions}, options);
  }

  static std::string error_of(const std::function<void()>& act, ErrorKind kind = ErrorKind::kBadInput) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  // [CLS] and [SEP] around the text's own tokens.
  static constexpr std::int64_t kPositions = 12;
  const std::unique_ptr<Tokenizer> tokenizer_ =
      load_tokenizer(source_directory() / "tests/data/models/tiny-bert-tagger");
};

TEST_F(PredictionTaskTest, SaysTheLikeliestClass) {
  const auto task = make(Task::kSequenceClassification, {}, {"bad", "good"});
  const PredictionInput input{"the film was good", {}, {}};
  const auto encoded = task->encode(input);
  ASSERT_EQ(encoded->rows().size(), 1U);
  EXPECT_EQ(encoded->rows()[0].ids.size(), 6U);
  const std::vector<float> logits = {0, 2};
  const std::vector<RowOutput> outputs = {{logits, 2}};
  const auto value = std::get<ClassPrediction>(encoded->decode(outputs).value);
  EXPECT_EQ(value.label, "good");
  EXPECT_NEAR(value.score, std::exp(2) / (1 + std::exp(2)), 1e-12);
  EXPECT_EQ(value.logits, logits);
  // A single score has nothing to share with.
  const std::vector<float> one = {-1};
  const std::vector<RowOutput> single = {{one, 1}};
  EXPECT_NEAR(std::get<ClassPrediction>(encoded->decode(single).value).score, 1 / (1 + std::exp(1)), 1e-12);
}

TEST_F(PredictionTaskTest, ScoresAsACrossEncoderSays) {
  const PredictionInput pair{"the film", "was good", {}};
  const std::vector<float> logits = {-3, 2};
  const std::vector<RowOutput> outputs = {{logits, 2}};
  const auto score = [&](ScoreFunction function) {
    PredictionModel model{*tokenizer_, {}, kPositions};
    model.score_function = function;
    const auto task = make_prediction_task(Task::kSequenceClassification, model, {});
    const auto answer = std::get<ClassPrediction>(task->encode(pair)->decode(outputs).value);
    EXPECT_EQ(answer.label_id, 1);
    return answer.score;
  };
  EXPECT_EQ(score(ScoreFunction::kIdentity), 2);
  EXPECT_NEAR(score(ScoreFunction::kSigmoid), 1 / (1 + std::exp(-2)), 1e-12);
  EXPECT_NEAR(score(ScoreFunction::kTanh), std::tanh(2), 1e-12);
  EXPECT_NEAR(score(ScoreFunction::kSoftmax), 1 / (1 + std::exp(-5)), 1e-12);
}

TEST_F(PredictionTaskTest, CutsWhatIsTooLongAndSaysSo) {
  const auto task = make(Task::kEmbedding);
  const PredictionInput fits{"a a a a a a a a a a", {}, {}};
  const PredictionInput longer{"a a a a a a a a a a a", {}, {}};
  const std::vector<float> numbers = {1, -2};
  const std::vector<RowOutput> outputs = {{numbers, 2}};
  EXPECT_FALSE(task->encode(fits)->decode(outputs).truncated);
  const auto encoded = task->encode(longer);
  EXPECT_EQ(encoded->rows()[0].ids.size(), 12U);
  EXPECT_TRUE(encoded->decode(outputs).truncated);
  EXPECT_EQ(std::get<EmbeddingPrediction>(encoded->decode(outputs).value).embedding, numbers);
  PredictionOptions options;
  options.max_length = 4;
  EXPECT_EQ(make(Task::kEmbedding, options)->encode(longer)->rows()[0].ids.size(), 4U);
  const PredictionInput pair{"a a", "a", {}};
  EXPECT_EQ(task->encode(pair)->rows()[0].type_ids, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1}));
}

TEST_F(PredictionTaskTest, FindsEntitiesAndTagsOfGivenWords) {
  const auto task = make(Task::kTokenClassification, {}, {"O", "B-PER"});
  // watch ##ed, film: "watched" is a person by its first token.
  const PredictionInput input{"watched film", {}, {{0, 7}, {8, 12}}};
  const auto encoded = task->encode(input);
  ASSERT_EQ(encoded->rows()[0].ids.size(), 5U);
  const std::vector<float> logits = {9, 0, 0, 2, 9, 0, 1, 0, 0, 9};  // [CLS] watch ##ed film [SEP]
  const std::vector<RowOutput> outputs = {{logits, 2}};
  const auto value = std::get<EntityPrediction>(encoded->decode(outputs).value);
  ASSERT_EQ(value.entities.size(), 1U);
  EXPECT_EQ(value.entities[0].entity, "PER");
  EXPECT_EQ(value.entities[0].text, "watched");
  EXPECT_EQ(value.entities[0].place, (CharacterRange{0, 7}));
  EXPECT_NEAR(value.entities[0].score, std::exp(2) / (1 + std::exp(2)), 1e-12);
  EXPECT_THAT(value.tags, testing::ElementsAre("B-PER", "O"));
}

TEST_F(PredictionTaskTest, WantsAMaskToFill) {
  const auto task = make(Task::kMaskedLm, {{}, 0, 2, false});
  const PredictionInput input{"the [MASK] film", {}, {}};
  const auto encoded = task->encode(input);
  const auto size = static_cast<std::size_t>(tokenizer_->vocabulary_size());
  std::vector<float> scores(5 * size, 0);
  const auto film = static_cast<std::size_t>(tokenizer_->encode("film").ids[1]);
  const auto good = static_cast<std::size_t>(tokenizer_->encode("good").ids[1]);
  scores[2 * size + film] = 3;  // the mask is the third token
  scores[2 * size + good] = 4;
  scores[3 * size + 7] = 99;  // of another token
  const std::vector<RowOutput> outputs = {{scores, size}};
  const auto value = std::get<MaskPrediction>(encoded->decode(outputs).value);
  ASSERT_EQ(value.masks.size(), 1U);
  EXPECT_EQ(value.masks[0].place, (CharacterRange{4, 10}));
  ASSERT_EQ(value.masks[0].fillings.size(), 2U);
  EXPECT_EQ(value.masks[0].fillings[0].token, "good");
  EXPECT_EQ(value.masks[0].fillings[1].token, "film");
  const double rest = static_cast<double>(size) - 2;
  EXPECT_NEAR(value.masks[0].fillings[0].score, std::exp(4) / (std::exp(4) + std::exp(3) + rest), 1e-12);

  const PredictionInput none{"the film", {}, {}};
  EXPECT_THAT(error_of([&] { task->encode(none); }), HasSubstr("write [MASK]"));
  const PredictionInput beyond{"a a a a a a a a a a [MASK]", {}, {}};
  EXPECT_THAT(error_of([&] { task->encode(beyond); }), HasSubstr("within the model's length"));
}

TEST_F(PredictionTaskTest, AsksALongContextInWindows) {
  // [CLS] i ? [SEP] and [SEP] leave 12 - 5 = 7 tokens of the context's 10 to a window; two share 4.
  const auto task = make(Task::kQuestionAnswering, {{}, 4, 5, false});
  const PredictionInput input{"i ?", "a b c d e f g h i j", {}};
  const auto encoded = task->encode(input);
  ASSERT_EQ(encoded->rows().size(), 2U);
  const std::size_t first = encoded->rows()[0].ids.size();
  const std::size_t second = encoded->rows()[1].ids.size();
  std::vector<float> low(first * 2, 0);
  std::vector<float> high(second * 2, 0);
  // The last token of the context, in front of [SEP].
  high[(second - 2) * 2] = 5;
  high[(second - 2) * 2 + 1] = 5;
  const std::vector<RowOutput> outputs = {{low, 2}, {high, 2}};
  const auto value = std::get<AnswerPrediction>(encoded->decode(outputs).value);
  EXPECT_EQ(value.answer, "j");
  EXPECT_EQ(value.place, (CharacterRange{18, 19}));
}

TEST_F(PredictionTaskTest, NeedsNoRoomForWindowsThatAreNotMade) {
  const auto task = make(Task::kQuestionAnswering, {{}, 128, 5, false});
  const PredictionInput fits{"who ?", "a b", {}};
  EXPECT_EQ(task->encode(fits)->rows().size(), 1U);
  const PredictionInput longer{"who ?", "a b c d e f g h", {}};
  EXPECT_THAT(error_of([&] { task->encode(longer); }), HasSubstr("the overlap 128"));
}

TEST_F(PredictionTaskTest, ABlankTextIsItsSpecialTokens) {
  const PredictionInput blank{" ", {}, {}};
  EXPECT_EQ(make(Task::kEmbedding)->encode(blank)->rows().front().ids, tokenizer_->encode("").ids);
  const PredictionInput half{"a", "", {}};
  EXPECT_EQ(make(Task::kEmbedding)->encode(half)->rows().front().ids, tokenizer_->encode_pair("a", "").ids);
}

TEST_F(PredictionTaskTest, RefusesInputsThatDoNotFitTheTask) {
  const PredictionInput bytes{"a\xFF", {}, {}};
  const PredictionInput single{"a", {}, {}};
  const PredictionInput pair{"a", "b", {}};
  EXPECT_THAT(error_of([&] { make(Task::kEmbedding)->encode(bytes); }), HasSubstr("not valid UTF-8 at byte 1"));
  EXPECT_THAT(error_of([&] { make(Task::kQuestionAnswering)->encode(single); }),
              HasSubstr("a question and its context"));
  EXPECT_THAT(error_of([&] { make(Task::kTokenClassification)->encode(pair); }), HasSubstr("not pairs"));
  EXPECT_THAT(error_of([&] { make(Task::kMaskedLm)->encode(pair); }), HasSubstr("not pairs"));
}

TEST_F(PredictionTaskTest, RefusesOptionsThatDoNotFitTheModel) {
  EXPECT_THAT(error_of([&] { make(Task::kEmbedding, {13, 0, 5, false}); }), HasSubstr("from 1 to 12"));
  EXPECT_THAT(error_of([&] { make(Task::kEmbedding, {0, 0, 5, false}); }), HasSubstr("'0'"));
  EXPECT_THAT(error_of([&] { make(Task::kQuestionAnswering, {{}, -1, 5, false}); }), HasSubstr("stride"));
  EXPECT_THAT(error_of([&] { make(Task::kMaskedLm, {{}, 0, 0, false}); }), HasSubstr("top_k"));
  EXPECT_THAT(error_of([&] { make(Task::kCausalLm); }, ErrorKind::kUnsupported), HasSubstr("generating text"));
}

TEST(Softmax, SharesOutAndBearsLargeScores) {
  const std::vector<float> scores = {1000, 1000, -1000};
  const std::vector<double> shares = softmax(std::span<const float>(scores));
  EXPECT_DOUBLE_EQ(shares[0], 0.5);
  EXPECT_DOUBLE_EQ(shares[1], 0.5);
  EXPECT_EQ(shares[2], 0);
  EXPECT_TRUE(softmax(std::span<const float>()).empty());
}

}  // namespace
}  // namespace transformeter

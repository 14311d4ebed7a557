// Rows of sounds: files as they are asked for, classes and transcripts, and drawn ones.
#include "tasks/sound_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "spec/presets.h"
#include "spec/spec_testing.h"
#include "support/temporary_folder.h"
#include "support/wav_file.h"
#include "tasks/batch_loader.h"
#include "tasks/sound_inputs.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SoundRowsTest : public testing::Test {
 protected:
  SoundRowsTest() {
    extractor_.return_attention_mask = true;
    for (const char* name : {"a", "b"}) std::filesystem::create_directory(folder_.path() / name);
    // wav2vec2-test makes a frame of 400 samples, and a further one of each 320.
    folder_.write("a/short.wav", wav_file(400 + 2 * 320, 16'000, 1));
    folder_.write("b/long.wav", wav_file(400 + 6 * 320, 16'000, 2));
  }

  TrainingRowsOptions options(Task task) const {
    TrainingRowsOptions options;
    options.task = task;
    options.max_length = config_.max_length;
    return options;
  }
  LabelledRows classes() const {
    const std::string path = folder_.path().string();
    return sound_class_rows(load_sound_classes(path, {}, nullptr), path, {config_, extractor_},
                            options(Task::kAudioClassification));
  }
  LabelledRows transcripts(const std::string& table) const {
    return transcript_rows(load_transcripts(folder_.write("t.csv", table).string(), {}),
                           {config_, extractor_, &vocabulary_}, options(Task::kSpeechRecognition));
  }

  ModelConfig with_key(const char* key, const Json& value) const {
    Json keys = to_json(config_);
    keys[key] = value;
    return parse_model_config(keys);
  }

  ModelConfig config_ = preset("wav2vec2-test");
  FeatureExtractorOptions extractor_;
  CtcVocabulary vocabulary_{{{"<pad>", 0}, {"<unk>", 1}, {"|", 2}, {"A", 3}, {"B", 4}}, {}, "folder"};
  TemporaryFolder folder_;
};

TEST_F(SoundRowsTest, AreFilesWithTheirClasses) {
  const LabelledRows read = classes();
  EXPECT_EQ(read.class_count, 2);
  EXPECT_THAT(read.class_names, ElementsAre("a", "b"));
  ASSERT_EQ(read.rows->size(), 2U);
  EXPECT_EQ(read.rows->label_kind(), LabelKind::kRow);
  const TrainingRow row = read.rows->rows(1, 0).front();
  EXPECT_THAT(row.labels, ElementsAre(1));
  EXPECT_EQ(row.samples.size(), 400U + 6 * 320);
  EXPECT_EQ(row.samples, read.rows->rows(1, 5).front().samples) << "the same in every epoch";
}

TEST_F(SoundRowsTest, ComeInBatchesThatArePaddedToTheLongest) {
  const LabelledRows read = transcripts("path,transcript\na/short.wav,A B\nb/long.wav,B\n");
  LoaderOptions loading;
  loading.batch_size = 2;
  loading.shuffled = false;
  BatchLoader loader(*read.rows, loading);
  const TrainingBatch batch = loader.next();
  ASSERT_TRUE(batch.inputs.sounds);
  EXPECT_EQ(batch.inputs.sounds->samples, 400 + 6 * 320);
  EXPECT_EQ(batch.inputs.sequence_length, 7);
  EXPECT_THAT(row_lengths(batch.inputs), ElementsAre(3, 7));
  EXPECT_TRUE(batch.inputs.has_padding);
  EXPECT_EQ(batch.label_kind, LabelKind::kTranscript);
  EXPECT_EQ(batch.target_length, 3);
  EXPECT_THAT(batch.labels, ElementsAre(3, 2, 4, 4, kNoLabel, kNoLabel));
  EXPECT_THAT(target_lengths(batch), ElementsAre(3, 1));
  EXPECT_THAT(batch.inputs.example_index, ElementsAre(0, 1));
  EXPECT_TRUE(batch.ends_epoch);
}

// Three frames hold A, B and A; two As need a blank between them.
TEST_F(SoundRowsTest, WhoseTranscriptNeedsMoreFramesAreRefusedByName) {
  EXPECT_EQ(fewest_frames({}), 0);
  EXPECT_EQ(fewest_frames({3, 4, 3}), 3);
  EXPECT_EQ(fewest_frames({3, 3, 3, 4}), 6);
  const LabelledRows fits = transcripts("path,transcript\na/short.wav,ABA\n");
  EXPECT_THAT(fits.rows->rows(0, 0).front().labels, ElementsAre(3, 4, 3));
  const LabelledRows doubled = transcripts("path,transcript\na/short.wav,AAB\n");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { doubled.rows->rows(0, 0); }),
              AllOf(HasSubstr("short.wav"), HasSubstr("'AAB'"), HasSubstr("needs 4 frames"), HasSubstr("has 3"),
                    HasSubstr("ctc_zero_infinity")));
  config_ = with_key("ctc_zero_infinity", true);
  EXPECT_EQ(transcripts("path,transcript\na/short.wav,AAB\n").rows->rows(0, 0).size(), 1U) << "it counts nothing";
}

TEST_F(SoundRowsTest, LeaveOutABlankThatIsSpelledAndRefuseTokensWithoutAClass) {
  const LabelledRows spelled = transcripts("path,transcript\na/short.wav,A<pad>B\n");
  EXPECT_THAT(spelled.rows->rows(0, 0).front().labels, ElementsAre(3, 4));
  config_.vocab_size = 4;
  const LabelledRows larger = transcripts("path,transcript\na/short.wav,AB\n");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { larger.rows->rows(0, 0); }),
              AllOf(HasSubstr("short.wav"), HasSubstr("'AB'"), HasSubstr("is 4"), HasSubstr("vocab_size of 4")));
}

TEST_F(SoundRowsTest, NeedTheBlankThatTextsLeaveOutAndALoss) {
  EXPECT_EQ(vocabulary_.padding_id(), 0);
  check_blank(vocabulary_, config_, "folder");
  config_ = with_key("pad_token_id", 3);
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { check_blank(vocabulary_, config_, "folder"); }),
              AllOf(HasSubstr("folder"), HasSubstr("pad_token_id 3"), HasSubstr("Set pad_token_id to 0")));
  const CtcVocabulary without({{"A", 0}}, {}, "folder");
  check_blank(without, config_, "folder");
  config_ = with_key("ctc_loss_reduction", "none");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { model_ctc(config_); }),
              AllOf(HasSubstr("ctc_loss_reduction"), HasSubstr("sum or mean")));
}

TEST_F(SoundRowsTest, WithoutWhatIsLearntAreRefused) {
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { load_transcripts(folder_.path().string(), {}); }),
              HasSubstr("only a table has transcripts"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { transcripts("path,words\na/short.wav,A\n"); }),
              AllOf(HasSubstr("t.csv"), HasSubstr("transcript"), HasSubstr("--label-column")));
  const std::string table = folder_.write("c.csv", "path\na/short.wav\n").string();
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [&] {
                           sound_class_rows(load_sound_classes(table, {}, nullptr), table, {config_, extractor_},
                                            options(Task::kAudioClassification));
                         }),
              AllOf(HasSubstr("c.csv"), HasSubstr("label")));
}

TEST_F(SoundRowsTest, AreDrawnBySeedAndNumber) {
  const auto drawn = [&](Task task, std::uint64_t seed = 0) {
    TrainingRowsOptions asked = options(task);
    asked.seed = seed;
    return synthetic_sound_rows(3, 4000, {config_, extractor_}, asked);
  };
  const auto rows = drawn(Task::kSpeechRecognition), others = drawn(Task::kSpeechRecognition, 1);
  const TrainingRow row = rows->rows(1, 0).front();
  EXPECT_EQ(row.samples.size(), 4000U);
  EXPECT_EQ(row.samples, rows->rows(1, 2).front().samples);
  EXPECT_EQ(row.labels, rows->rows(1, 2).front().labels);
  EXPECT_NE(row.samples, rows->rows(2, 0).front().samples);
  EXPECT_NE(row.samples, others->rows(1, 0).front().samples);
  EXPECT_EQ(config_.waves->frames(4000), 12);
  EXPECT_EQ(row.labels.size(), 3U) << "one for every four frames";
  EXPECT_LE(fewest_frames(row.labels), 12);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const TrainingRow one = rows->rows(i, 0).front();
    for (const std::int64_t token : one.labels) {
      EXPECT_GE(token, 1) << "0 is the blank";
      EXPECT_LT(token, config_.vocab_size);
    }
    const std::vector<std::int64_t> label = drawn(Task::kAudioClassification)->rows(i, 0).front().labels;
    ASSERT_EQ(label.size(), 1U);
    EXPECT_LT(label.front(), config_.num_labels);
  }
  EXPECT_EQ(drawn_tokens(1), 1) << "of the shortest sound";
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [&] {
                           synthetic_sound_rows(0, 4000, {config_, extractor_}, options(Task::kAudioClassification));
                         }),
              HasSubstr("number of synthetic rows"));
  config_.vocab_size = 1;
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { drawn(Task::kSpeechRecognition); }),
              AllOf(HasSubstr("number of classes"), HasSubstr("at least 2")));
}

}  // namespace
}  // namespace transformeter

// What a model is asked, and the head that answers. A task is more than a head: two tasks may share one and differ in
// what its numbers mean (tasks/task_type.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace transformeter {

enum class Task {
  kSequenceClassification,
  kMultiLabelClassification,
  kRegression,
  kTokenClassification,
  kQuestionAnswering,
  kMaskedLm,
  kCausalLm,
  kEmbedding,
  kImageClassification,
  kImageEmbedding,
  kZeroShotImageClassification,
  kSeq2SeqLm,
  kSpeechRecognition,
  kAudioClassification,
  kAudioEmbedding,
  kContrastiveImageText,
};

/// What lies above a model's hidden states.
enum class HeadKind {
  kSequenceClasses,  // a number for each class of a text, or a value: [B, classes]
  kTokenClasses,     // of each token: [B, T, classes]
  kSpan,             // where an answer begins and where it ends: [B, T, 2]
  kMaskedTokens,     // what a hidden token is: [B, T, V]
  kNextToken,        // what comes after each token: [B, T, V]
  kTargetTokens,     // what comes after each token of the text that a decoder makes of another: [B, T, V]
  kImageClasses,     // a number for each class of an image: [B, classes]
  kImageFeatures,    // a vector for an image: [B, C]
  kSimilarities,     // how well each of some texts fits an image: [B, texts]
  kFrameTokens,      // what is said in each frame of a sound (CTC): [B, T, V]
  kAudioClasses,     // a number for each class of a sound: [B, classes]
  kAudioFeatures,    // a vector for a sound: [B, C]
  kPairs,            // how well each text of a batch fits each of its images: [texts, images]
  kNone,             // the hidden states of a text, of all tokens or pooled
};

/// Whether its numbers are those of classes that a checkpoint names.
constexpr bool has_classes(HeadKind head) {
  return head == HeadKind::kSequenceClasses || head == HeadKind::kTokenClasses || head == HeadKind::kImageClasses ||
         head == HeadKind::kAudioClasses;
}

/// What is read off a head's numbers.
enum class AnswerKind {
  kLargest,  // the class, or the token, with the largest number: two models can agree on it
  kLabels,   // several classes of a text, or none
  kValue,    // the number itself
  kSpan,     // a part of a text
  kVector,   // all of them
};

/// What a model is given; of pairs of images and texts the images.
enum class Modality { kText, kImage, kAudio };

struct TaskName {
  Task task;
  std::string_view name;  // as users write it
  HeadKind head;
  AnswerKind answer;
  /// Whether runs score the classes they measured, where texts, images or sounds are whole and labelled.
  bool is_scored_in_runs = false;
  Modality modality = Modality::kText;
};

/// All tasks, in the order of the enumeration.
inline constexpr std::array kTaskNames{
    TaskName{Task::kSequenceClassification, "sequence_classification", HeadKind::kSequenceClasses, AnswerKind::kLargest,
             true},
    TaskName{Task::kMultiLabelClassification, "multi_label_classification", HeadKind::kSequenceClasses,
             AnswerKind::kLabels},
    TaskName{Task::kRegression, "regression", HeadKind::kSequenceClasses, AnswerKind::kValue},
    TaskName{Task::kTokenClassification, "token_classification", HeadKind::kTokenClasses, AnswerKind::kLargest},
    TaskName{Task::kQuestionAnswering, "question_answering", HeadKind::kSpan, AnswerKind::kSpan},
    TaskName{Task::kMaskedLm, "masked_lm", HeadKind::kMaskedTokens, AnswerKind::kLargest},
    TaskName{Task::kCausalLm, "causal_lm", HeadKind::kNextToken, AnswerKind::kLargest},
    TaskName{Task::kEmbedding, "embedding", HeadKind::kNone, AnswerKind::kVector},
    TaskName{Task::kImageClassification, "image_classification", HeadKind::kImageClasses, AnswerKind::kLargest, true,
             Modality::kImage},
    TaskName{Task::kImageEmbedding, "image_embedding", HeadKind::kImageFeatures, AnswerKind::kVector, false,
             Modality::kImage},
    TaskName{Task::kZeroShotImageClassification, "zero_shot_image_classification", HeadKind::kSimilarities,
             AnswerKind::kLargest, true, Modality::kImage},
    TaskName{Task::kSeq2SeqLm, "seq2seq_lm", HeadKind::kTargetTokens, AnswerKind::kLargest},
    TaskName{Task::kSpeechRecognition, "speech_recognition", HeadKind::kFrameTokens, AnswerKind::kLargest, false,
             Modality::kAudio},
    TaskName{Task::kAudioClassification, "audio_classification", HeadKind::kAudioClasses, AnswerKind::kLargest, true,
             Modality::kAudio},
    TaskName{Task::kAudioEmbedding, "audio_embedding", HeadKind::kAudioFeatures, AnswerKind::kVector, false,
             Modality::kAudio},
    TaskName{Task::kContrastiveImageText, "contrastive_image_text", HeadKind::kPairs, AnswerKind::kVector, false,
             Modality::kImage},
};

constexpr std::string_view name_of(Task task) {
  return kTaskNames[static_cast<std::size_t>(task)].name;
}

constexpr HeadKind head_of(Task task) {
  return kTaskNames[static_cast<std::size_t>(task)].head;
}

constexpr AnswerKind answer_of(Task task) {
  return kTaskNames[static_cast<std::size_t>(task)].answer;
}

/// Whether the head's largest number is an answer: two models can agree on it.
constexpr bool predicts_classes(Task task) {
  return answer_of(task) == AnswerKind::kLargest;
}

/// Whether an example may have several labels, or none.
constexpr bool has_label_lists(Task task) {
  return answer_of(task) == AnswerKind::kLabels;
}

/// Whether an example is learnt by a text, which a decoder makes of its own.
constexpr bool has_target_texts(Task task) {
  return head_of(task) == HeadKind::kTargetTokens;
}

/// Whether labels and answers are numbers, of which an example has one.
constexpr bool has_values(Task task) {
  return answer_of(task) == AnswerKind::kValue;
}

/// Whether labels are names of classes, of which a checkpoint has some of its own.
constexpr bool has_named_classes(Task task) {
  return has_classes(head_of(task)) && !has_values(task);
}

/// Whether the answer is a text, made token by token.
constexpr bool generates_text(Task task) {
  return head_of(task) == HeadKind::kNextToken || head_of(task) == HeadKind::kTargetTokens;
}

constexpr Modality modality_of(Task task) {
  return kTaskNames[static_cast<std::size_t>(task)].modality;
}

constexpr bool reads_images(Task task) {
  return modality_of(task) == Modality::kImage;
}

constexpr bool reads_audio(Task task) {
  return modality_of(task) == Modality::kAudio;
}

/// Whether each image comes with a text about it, which the model reads too.
constexpr bool has_captions(Task task) {
  return head_of(task) == HeadKind::kPairs;
}

/// Whether the model reads texts, alone or beside images.
constexpr bool reads_texts(Task task) {
  return modality_of(task) == Modality::kText || has_captions(task);
}

/// Rows of a batch from which something is learned: of pairs at least two, since each is compared with the others.
constexpr std::int64_t least_batch_size(Task task) {
  return has_captions(task) ? 2 : 1;
}

constexpr bool is_scored_in_runs(Task task) {
  return kTaskNames[static_cast<std::size_t>(task)].is_scored_in_runs;
}

/// Whether classes are what the user names, put into words: a model needs none of its own.
constexpr bool is_zero_shot(Task task) {
  return head_of(task) == HeadKind::kSimilarities;
}

/// Other names of tasks: short ones, and those of Transformers' pipelines and of well-known data sets.
struct TaskAlias {
  std::string_view alias;  // with underscores; users may type hyphens
  Task task;
};
inline constexpr std::array kTaskAliases{
    TaskAlias{"classification", Task::kSequenceClassification},
    TaskAlias{"text_classification", Task::kSequenceClassification},
    TaskAlias{"sentiment_analysis", Task::kSequenceClassification},
    TaskAlias{"sst2", Task::kSequenceClassification},
    TaskAlias{"multi_label", Task::kMultiLabelClassification},
    TaskAlias{"ner", Task::kTokenClassification},
    TaskAlias{"qa", Task::kQuestionAnswering},
    TaskAlias{"squad", Task::kQuestionAnswering},
    TaskAlias{"mlm", Task::kMaskedLm},
    TaskAlias{"fill_mask", Task::kMaskedLm},
    TaskAlias{"clm", Task::kCausalLm},
    TaskAlias{"text_generation", Task::kCausalLm},
    TaskAlias{"text2text_generation", Task::kSeq2SeqLm},
    TaskAlias{"summarization", Task::kSeq2SeqLm},
    TaskAlias{"translation", Task::kSeq2SeqLm},
    TaskAlias{"feature_extraction", Task::kEmbedding},
    TaskAlias{"image_feature_extraction", Task::kImageEmbedding},
    TaskAlias{"automatic_speech_recognition", Task::kSpeechRecognition},
    TaskAlias{"asr", Task::kSpeechRecognition},
    TaskAlias{"ctc", Task::kSpeechRecognition},
};

/// The task that a user means by `word`: its name or another one, with hyphens or underscores. Nothing for other words.
std::optional<Task> typed_task(std::string_view word);

/// Nothing for a name that is no task's: a store may come from a newer version.
std::optional<Task> find_task(std::string_view name);
/// Throws Error(kBadInput) listing the tasks, with the nearest name.
Task task_named(std::string_view name);

std::vector<std::string> task_names();

void to_json(Json& json, Task task);
/// Throws like task_named.
void from_json(const Json& json, Task& task);

}  // namespace transformeter

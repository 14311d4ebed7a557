// What a model learns from: the rows of a data set with the answers that a task wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/row_frame.h"
#include "datasets/sound_batch.h"
#include "schema/task.h"
#include "spec/model_config.h"
#include "tasks/ignored_label.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {

/// What the labels of a row are.
enum class LabelKind {
  kRow,         // one class
  kToken,       // a class, or the id of a token, for each token; kNoLabel where none counts
  kSpan,        // the places of an answer's first and last token in the row
  kNumbers,     // as many numbers as the model has outputs
  kTarget,      // the tokens of a text that a decoder makes of the row
  kTranscript,  // the tokens that are said in the row, whichever frames say them
  kCaption,     // the tokens of a text about the row's image, which the model reads too
};

/// Whether the number of labels differs from row to row, whatever the length of the inputs.
constexpr bool has_own_lengths(LabelKind kind) {
  return kind == LabelKind::kTarget || kind == LabelKind::kTranscript || kind == LabelKind::kCaption;
}

struct TrainingRow {
  Encoding encoding;  // of an image or a sound empty
  std::vector<std::int64_t> labels;
  std::vector<float> numbers = {};  // of LabelKind::kNumbers, whose labels are empty
  std::vector<float> pixels = {};   // of an image [channels, height, width]; else empty
  std::vector<float> samples = {};  // of a sound; else empty
};

/// What all rows of images have in common.
struct ImageRow {
  ImageShape shape;
  std::int64_t tokens = 0;  // that the model makes of each
};

/// What all rows of sounds have in common.
struct SoundRow {
  WaveSpec waves;
  SoundPadding padding;
};

/// The examples of a data set for one task. Every function may be called by several threads at once.
class TrainingRows {
 public:
  virtual ~TrainingRows() = default;
  /// Examples, at least 1: what is shuffled.
  virtual std::size_t size() const = 0;
  /// Rows of all examples of one epoch: more than examples where long ones are cut into windows.
  virtual std::int64_t row_count() const = 0;
  /// The rows of one example, at least one. The same for the same example and epoch; epochs differ where a task draws
  /// again (masked_lm).
  virtual std::vector<TrainingRow> rows(std::size_t example, std::int64_t epoch) const = 0;
  virtual LabelKind label_kind() const = 0;
  /// Nothing: rows are of texts or sounds.
  virtual std::optional<ImageRow> image() const { return std::nullopt; }
  /// Nothing: rows are of texts or images.
  virtual std::optional<SoundRow> sound() const { return std::nullopt; }
};

struct TrainingRowsOptions {
  Task task = Task::kSequenceClassification;  // one of trained_tasks()
  std::int64_t max_length = 0;                // tokens of a row at most; of causal_lm exactly
  std::int64_t stride = 128;                  // question_answering: tokens that two windows of a context share
  std::optional<std::int64_t> limit;          // examples (of causal_lm blocks), a seeded draw; nothing: all
  std::uint64_t seed = 0;
  double masked_share = 0.15;        // masked_lm: of a row's own tokens
  std::vector<std::string> classes;  // token_classification: in order; empty: the file's own
  /// The trained model whose classes keep their order where the file has the same ones; null: none.
  const ModelConfig* trained = nullptr;
};

/// The rows of a data file, and what their labels are numbers of.
struct LabelledRows {
  std::unique_ptr<TrainingRows> rows;
  std::int64_t class_count = 0;          // of rows or tokens; 0: the task's classes are not the data's
  std::vector<std::string> class_names;  // in order; empty: numbers alone, or class_count is 0
};

/// Reads what `path` holds for the task, as Transformers' example scripts do (run_glue.py, run_ner.py, run_qa.py,
/// run_mlm.py with --line_by_line, run_clm.py):
/// - sequence_classification: texts or pairs, cut to max_length, with their classes.
/// - multi_label_classification: the same with lists of labels; a number for each class, 0 or 1. Classes are those of a
///   list or of a trained model that has them all, else the numbers up to the largest or the sorted names.
/// - regression: the same with numbers as labels; one number.
/// - token_classification: sentences of CoNLL's form. The first token of each word has the class of its tag, all others
///   kNoLabel. Classes are the file's tags, in the order of the trained model that has the very same, else sorted.
/// - question_answering: SQuAD's forms. Windows over the context; the answer is the first that is given; a window that
///   does not hold all of it, and a question without answer, has the place of [CLS] (or BOS, or else 0) as both ends.
///   The questions are tokenised once here, on several threads, to count the windows.
/// - causal_lm: the lines of a text file, with their line breaks, or a table's texts, tokenised one by one with what
///   special tokens the tokenizer puts around a text, one after the other in blocks of max_length; labels are the ids
///   themselves (the loss shifts them), and an incomplete last block is dropped. (run_clm.py drops one for each 1,000
///   texts.) All tokens are kept in memory, 4 bytes each.
/// - masked_lm: the texts of such files, cut to max_length, with different tokens hidden in each epoch.
/// - seq2seq_lm: a table's texts and targets, each cut to max_length; labels are the target's ids, with what special
///   tokens the tokenizer puts around a text (run_summarization.py, run_translation.py).
/// Borrows the tokenizer. Throws Error(kBadInput) for examples without labels, a file of another form than the task
/// needs, texts too short for one block, a limit below 1, and a max_length without room for the special tokens;
/// Error(kUnsupported) for embedding, whose outputs are held against no labels, and for masked_lm with a tokenizer that
/// has no mask token.
LabelledRows read_training_rows(const std::string& path, const DataOptions& data, const Tokenizer& tokenizer,
                                const TrainingRowsOptions& options);

/// The names of those that can be trained.
std::vector<std::string> trained_tasks();

/// Throws Error(kBadInput) naming `where` for a data set that was made for another task. A text file's lines are
/// of causal_lm, whatever is learnt from them.
void check_form(const DataSet& data, const std::string& where, Task task);

/// Of sequence_classification from a data set that is in memory, whose labels are numbered as the model's already
/// (match_labels). `where` names it in errors. Throws Error(kBadInput) with the place for an example without a label,
/// or with one outside [0, data.label_count).
LabelledRows classification_rows(DataSet data, const std::string& where, const Tokenizer& tokenizer,
                                 const TrainingRowsOptions& options);

/// Rows of random tokens, each max_length long, with random labels: for a data set's place, where only time counts. Of
/// masked_lm and causal_lm the labels are the tokens, as of real text, of seq2seq_lm these in another order. Throws as
/// read_training_rows and synthetic_encodings.
std::unique_ptr<TrainingRows> synthetic_training_rows(std::size_t count, std::int64_t classes,
                                                      const Tokenizer& tokenizer, const TrainingRowsOptions& options);

}  // namespace transformeter

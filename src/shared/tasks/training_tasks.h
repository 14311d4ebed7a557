// What tasks share that are learnt from rows of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/conll.h"
#include "datasets/dataset.h"
#include "datasets/squad.h"
#include "tasks/training_rows.h"

namespace transformeter {

class RandomStream;

/// Throws Error(kBadInput) for a max_length below 1, Error(kUnsupported) for a task without labels.
void check_training_task(const TrainingRowsOptions& options);

/// Throws Error(kBadInput) where max_length has no room for the special tokens around a text, or of a pair.
void check_room(const Tokenizer& tokenizer, const TrainingRowsOptions& options, bool is_pair = false);

/// Which of `count` examples are learnt from: a seeded draw of options.limit, ascending, or all. Throws
/// Error(kBadInput) for a limit below 1.
std::vector<std::size_t> drawn_examples(std::size_t count, const TrainingRowsOptions& options);

/// So many as the system says that this process may use, from 1 to 16: to read a data set once.
int reading_threads();

/// The examples of a data set that are single texts, to be given to tasks that learn from running text. Throws
/// Error(kBadInput) for pairs.
std::vector<std::string> single_texts(DataSet data, const std::string& where, const TrainingRowsOptions& options);

/// The labels of options.trained; empty without one.
std::vector<std::string> learnt_labels(const TrainingRowsOptions& options);

/// Of the random labels of an example.
RandomStream label_stream(std::uint64_t seed, std::size_t example);

// Each: `where` names the file in errors; the tokenizer is borrowed.
LabelledRows answer_rows(QuestionSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options);
LabelledRows entity_rows(TaggedSentenceSet set, const std::string& where, const Tokenizer& tokenizer,
                         const TrainingRowsOptions& options);

/// Hides tokens of rows from a masked language model, as Transformers' DataCollatorForLanguageModeling: each token of
/// the text is chosen with probability `masked_share`; of those chosen 80 % become the mask token, 10 % any token, 10 %
/// stay, and all have their id as label.
class TokenMasker {
 public:
  /// Throws Error(kUnsupported) for a tokenizer without a mask token, Error(kBadInput) for a share outside (0, 1].
  TokenMasker(const Tokenizer& tokenizer, const TrainingRowsOptions& options);
  /// Draws again for each example and epoch; of a row none of whose tokens is drawn, one is hidden all the same.
  TrainingRow mask(Encoding encoding, std::size_t example, std::int64_t epoch) const;

 private:
  void hide(TrainingRow& row, std::size_t place, RandomStream& random) const;

  double share_;
  std::uint64_t seed_;
  std::uint64_t vocabulary_size_;
  std::int32_t mask_ = 0;
};

}  // namespace transformeter

// What tasks share that are learnt from rows of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datasets/dataset.h"
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

/// Throws Error(kBadInput) for pairs of texts, which `task` does not learn from.
void check_single_texts(const DataSet& data, const std::string& where, Task task);

/// The examples of a data set that are single texts, to be given to tasks that learn from running text. Throws
/// Error(kBadInput) for pairs.
std::vector<std::string> single_texts(DataSet data, const std::string& where, const TrainingRowsOptions& options);

/// Throws Error(kBadInput) for a batch too small to learn from.
void check_batch_size(Task task, std::int64_t batch_size);

/// Why labels of the task cannot be smoothed, in rows that are packed or not; none where they can.
std::optional<std::string> why_not_smoothed(Task task, bool packs_rows);

/// Of `count` drawn inputs of so many fp32 values each, how many are kept, at least one: 64 MiB of them, after which
/// the first come again.
std::size_t kept_inputs(std::size_t count, std::size_t values);

/// Of the random labels of an example.
RandomStream label_stream(std::uint64_t seed, std::size_t example);

}  // namespace transformeter

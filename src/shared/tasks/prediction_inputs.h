// A data file as `predict` asks it: the inputs in the file's order, and what a file of predictions for `score` needs
// beside them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/conll.h"
#include "datasets/dataset.h"
#include "datasets/squad.h"
#include "schema/prediction.h"
#include "schema/task.h"

namespace transformeter {

struct PredictionInputs {
  std::string name;    // folder and file without ending
  std::string sha256;  // of the file's bytes
  std::vector<PredictionInput> inputs;
  // Of the file's own kind, parallel to the inputs; empty for files of another kind.
  std::vector<std::string> ids;           // of questions, and of tables of images and sounds that have some
  std::vector<std::string> transcripts;   // of sounds, where their data set has them
  std::vector<TaggedSentence> sentences;  // of token classification, words as they stand in the inputs
  std::vector<std::string> label_names;   // of classes; empty where labels are numbers or none
  std::vector<int> labels;                // of images and sounds, parallel to the inputs; empty where there are none
  bool has_ordered_labels = false;        // a list gave the names' order; else they were only sorted
  int label_count = 0;                    // of classes; 0 where the file has no label for each input
  bool has_unanswerable = false;          // the rules of SQuAD v2.0 apply
};

/// Reads `path` for `task`: SQuAD with its ids for question answering, CoNLL with its words for token classification,
/// images and sounds as load_data_of_task does, whose paths are the inputs' texts, else whatever load_dataset reads.
/// Errors as these, and Error(kBadInput) for images and sounds that are no files.
PredictionInputs load_prediction_inputs(const std::filesystem::path& path, Task task, const DataOptions& options);

/// The same of what is in memory.
PredictionInputs prediction_inputs(QuestionSet set);
PredictionInputs prediction_inputs(TaggedSentenceSet set);

}  // namespace transformeter

// What tasks with one output for a whole text or pair share.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "datasets/dataset.h"
#include "tasks/fine_tuning_sets.h"
#include "tasks/prediction_task.h"
#include "tasks/score.h"
#include "tasks/training_rows.h"

namespace transformeter {

/// The answer from a row's numbers, of which there is at least one; whether the text was cut is filled in after it.
using WholeTextAnswer = std::function<Prediction(std::span<const float> values)>;

/// Borrows what `model` borrows.
std::unique_ptr<PredictionTask> make_whole_text_task(const PredictionModel& model, const PredictionOptions& options,
                                                     WholeTextAnswer answer);

/// Puts what an example is learnt by into its row.
using WholeTextLabel = std::function<void(const Example& example, TrainingRow& row)>;

/// A row for each example, cut to max_length, or for a seeded draw of them; classes as `data` has them. Borrows the
/// tokenizer. Throws Error(kBadInput) for a limit below 1 and a max_length without room for the special tokens.
LabelledRows whole_text_rows(DataSet data, const Tokenizer& tokenizer, const TrainingRowsOptions& options,
                             LabelKind kind, WholeTextLabel label);

/// Numbered as a trained model has learnt them where these are its classes. Other names are other classes, which the
/// head learns from scratch.
DataSet with_classes_of(DataSet data, const ModelConfig& trained, const std::string& where);

/// What an example is learnt or scored by.
struct NeededLabel {
  std::string noun;  // in errors
  std::function<bool(const Example& example)> is_there;
  std::string hint;  // how its column is chosen
};
/// That of a class, a number or a set of labels; `task`: the data's.
NeededLabel needed_class(Task task);

/// Throws Error(kBadInput) naming the place of the first example without a label, which `what` needs, and where there
/// are none at all.
void check_labelled(const DataSet& data, const std::string& where, const std::string& what, const NeededLabel& label);
/// The same for needed_class(data.task).
void check_labelled(const DataSet& data, const std::string& where, const std::string& what);

/// `report` with a note of how many texts of `data` are blank, if any: a model reads special tokens alone there.
ScoreReport with_note_of_blanks(ScoreReport report, const DataSet& data);

/// Examples to be asked and scored.
class ScoredTexts : public ScoredInputs {
 public:
  std::string place_of(std::size_t input) const override;

 protected:
  ScoredTexts(const DataSet& data, std::string where);

 private:
  std::string where_;
};

}  // namespace transformeter

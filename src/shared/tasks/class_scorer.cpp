// Answers are classes with their logits, of texts and of images.
#include "tasks/class_scorer.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "datasets/label_match.h"
#include "tasks/accuracy.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

// −ln of the label's softmax.
double cross_entropy(const std::vector<float>& logits, int label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return std::log(sum) + largest - logits.at(static_cast<std::size_t>(label));
}

// Accuracy and macro F1 of examples, each of which has a label.
class ScoredClasses final : public ScoredTexts {
 public:
  ScoredClasses(const DataSet& data, std::string where) : ScoredTexts(data, std::move(where)) {
    for (const Example& example : data.examples) labels_of_examples_.push_back(example.label.value());
  }

  AnswerScores score(const std::vector<Prediction>& answers, const StopCheck& check) const override {
    std::vector<int> predicted;
    double loss = 0;
    for (const Prediction& prediction : answers) {
      const auto& answer = std::get<ClassPrediction>(prediction.value);
      loss += cross_entropy(answer.logits, labels_of_examples_[predicted.size()]);
      predicted.push_back(static_cast<int>(answer.label_id));
    }
    return {score_classification(predicted, labels_of_examples_, check).scores,
            loss / static_cast<double>(labels_of_examples_.size())};
  }

 private:
  std::vector<int> labels_of_examples_;
};

}  // namespace

DataSet with_learnt_classes(DataSet data, const LabelledRows& rows, const ModelConfig* trained,
                            const std::string& where) {
  ModelConfig classes;
  classes.num_labels = rows.class_count;
  classes.labels = rows.class_names;
  if (classes.labels.empty() && trained != nullptr && trained->num_labels == rows.class_count) {
    classes.labels = trained->labels;
  }
  match_labels(data, classes, where);
  check_labelled(data, where, "evaluation");
  return data;
}

std::unique_ptr<ScoredInputs> class_scorer(const DataSet& data, std::string where) {
  return std::make_unique<ScoredClasses>(data, std::move(where));
}

}  // namespace transformeter

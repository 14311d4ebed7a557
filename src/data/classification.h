// From a table of texts and labels to a data set for sequence classification.
#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/table.h"

namespace transformeter {

/// Names the columns and classes. Without --text-column the text is the column text, sentence, content, review, query,
/// utterance, tweet, question or input, or the pairs sentence1/sentence2, premise/hypothesis, question1/question2,
/// text1/text2; without --label-column the label is label, labels, category, intent, class, sentiment or target, and a
/// table without one is unlabelled.
/// Labels: of a list of classes the position in it; else, where every label is a whole number from 0 to 9,999, that
/// number; else the position among the sorted names.
/// Throws Error(kBadInput) as "FILE:LINE: …" for a column that is not there, an empty text, a missing label, and a
/// label outside the listed classes.
DataSet read_classification(const Table& table, const DataOptions& options);

/// The classes that a file lists: a JSON array of texts, or one name a line. Throws Error(kBadInput) for an empty list,
/// an empty name or one that comes twice.
std::vector<std::string> load_label_list(const std::string& path);

/// Turns names of classes into numbers as read_classification does; `names` comes back as the classes in order, empty
/// when labels are numbers. The rows' places go into errors.
class LabelEncoder {
 public:
  /// `classes`: the list to keep to; empty: found from the labels.
  explicit LabelEncoder(std::vector<std::string> classes);

  /// Adds a label; `place` is "FILE:LINE". Throws Error(kBadInput) when it is outside the listed classes.
  void add(const std::string& place, const std::string& label);

  /// The number of each label in the order of add.
  std::vector<int> numbers() const;
  int count() const;
  /// In order; empty when labels are numbers.
  std::vector<std::string> names() const;

 private:
  bool are_numbers() const;

  std::vector<std::string> classes_;
  std::vector<std::string> labels_;
};

}  // namespace transformeter

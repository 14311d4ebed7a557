// From a table of texts and labels to a data set for sequence classification.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/table.h"

namespace transformeter {

/// Names the columns and classes. Without --text-column the text is the column text, sentence, content, review, query,
/// utterance, tweet, question or input, or the pairs sentence1/sentence2, premise/hypothesis, question1/question2,
/// text1/text2; without --label-column the label is label, labels, category, intent, class, sentiment or target, and a
/// table without one is unlabelled.
/// The columns id, idx and guid name the examples. Where labels are texts, text and target are the columns of a usual
/// pair (usual_columns.h), --label-column chooses the target, there are no classes, and of a column of table.classes
/// the target is the class's name.
/// Labels: of a list of classes the position in it, which the label names or is; else, where every label is a whole
/// number from 0 to 9,999, that number; else the position among the sorted names. A column of table.classes holds
/// places in these classes; one of -1 alone is as none. Throws Error(kBadInput) as "FILE:LINE: …" for a column that is
/// not there, an empty text, a missing label, and a label outside the listed classes.
DataSet read_classification(const DataTable& table, const DataOptions& options);

/// Takes rows out whose class is not told, -1 or null in a column of table.classes, where other rows have one.
void drop_unlabelled_rows(DataTable& table, const DataOptions& options);

/// The column of the texts: options.text_column, else the first of a usual name; nothing where there is none.
std::optional<std::size_t> find_text_column(const DataTable& table, const DataOptions& options);

/// The column that tells examples apart.
std::optional<std::size_t> find_id_column(const DataTable& table);

/// The classes that a text lists: a JSON array of texts, or one name a line. Throws Error(kBadInput) for an empty list,
/// an empty name or one that comes twice.
std::vector<std::string> read_label_list(const std::string& where, std::string_view text);

/// The classes of the setting `labels`: comma-separated names, a JSON array of texts, or a file of a list. Throws
/// as read_label_list, and Error(kBadInput) for a file that is not there.
std::vector<std::string> load_label_list(const std::string& labels);

/// Of that file, or of the list itself.
std::string sha256_of_label_list(const std::string& labels);

/// Turns names of classes into numbers as read_classification does; `names` comes back as the classes in order, empty
/// when labels are numbers. The rows' places go into errors.
class LabelEncoder {
 public:
  enum class Kind { kNames, kPlaces };  // of labels under a list of classes

  /// `classes`: the list to keep to; empty: found from the labels. `kind` of the labels under a list, where it is
  /// known.
  explicit LabelEncoder(std::vector<std::string> classes, std::optional<Kind> kind = std::nullopt);

  /// Adds a label; `place` is "FILE:LINE". Of a list of classes, labels are names or places in it, from 0, all of one
  /// kind. Throws Error(kBadInput) for another kind than before and when it is outside the listed classes.
  void add(const std::string& place, const std::string& label);

  /// The number of each label in the order of add.
  std::vector<int> numbers() const;
  int count() const;
  /// Gives the examples, those of add in order, their numbers, and the data set its classes.
  void number(DataSet& data) const;
  /// In order; empty when labels are numbers.
  std::vector<std::string> names() const;

 private:
  bool are_numbers() const;
  Kind kind_of(const std::string& place, const std::string& name) const;
  int place_of(const std::string& label) const;

  std::vector<std::string> classes_;
  std::optional<Kind> kind_;  // of the labels so far, where classes are listed
  std::vector<std::string> labels_;
};

}  // namespace transformeter

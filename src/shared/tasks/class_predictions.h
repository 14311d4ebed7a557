// Predicted classes: one a line, or a table's column, held to the data set they are said to be of.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"

namespace transformeter {

struct ClassPredictionOptions {
  std::string column;        // of a table; empty: prediction, pred, predicted or predicted_label
  DataOptions data_options;  // by which the data set was read
};

/// Takes a prediction as it stands in a file, without blanks around it; `place` is "FILE:LINE".
using TakePrediction = std::function<void(const std::string& place, const std::string& text)>;

/// Reads a text for each example of `data`, in their order. One a line, blank lines at the end left out; or a table
/// (delimited with a header, or JSON Lines). A first line that `is_answer` begins a list, else one with a column of a
/// known name begins a table; with `column` it is a table. A table's column of texts, by the data set's option or a
/// usual name, and its column id, idx or guid must agree with the data set; of images and sounds the latter alone.
/// Throws Error(kBadInput) as "FILE:LINE: …" for a row of another example or without a prediction, and for another
/// count than there are examples.
void read_predictions(const std::string& where, std::string_view text, const DataSet& data,
                      const ClassPredictionOptions& options, const std::function<bool(std::string_view)>& is_answer,
                      const TakePrediction& take);

/// A class for each example of `data`: a name of the data set, or its number; a number is refused where names were put
/// into order only by sorting them. Throws Error(kBadInput) as "FILE:LINE: …" for what is neither, and as
/// read_predictions.
std::vector<int> read_predicted_classes(const std::string& where, std::string_view text, const DataSet& data,
                                        const ClassPredictionOptions& options = {});

}  // namespace transformeter

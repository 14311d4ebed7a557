// Files of predicted classes: which column they are, what a number means, and every way they can fail to fit the data.
#include "tasks/class_predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string failure_of(std::string_view text, const DataSet& data, const ClassPredictionOptions& options = {}) {
  try {
    read_predicted_classes("p", text, data, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

DataSet data_of(std::vector<std::string> names) {
  DataSet data;
  data.name = "d";
  data.examples = {{"x", {}, 0}, {"y", {}, 1}, {"z", {}, 0}};
  data.label_count = 2;
  data.label_names = std::move(names);
  return data;
}

ClassPredictionOptions from_column(std::string column) {
  ClassPredictionOptions options;
  options.column = std::move(column);
  return options;
}

TEST(PredictedClasses, AreReadFromLinesAndTables) {
  const DataSet named = data_of({"no", "yes"});
  EXPECT_THAT(read_predicted_classes("p", "yes\nno\r\nyes\n\n", named), ElementsAre(1, 0, 1));
  EXPECT_THAT(read_predicted_classes("p", "id,prediction\n1,yes\n2,no\n3,no\n", named), ElementsAre(1, 0, 0));
  EXPECT_THAT(read_predicted_classes("p", "prediction\nyes\nno\nno\n", named), ElementsAre(1, 0, 0));
  EXPECT_THAT(read_predicted_classes("p", "1\n0\n1\n", data_of({})), ElementsAre(1, 0, 1));
  EXPECT_THAT(read_predicted_classes("p", "{\"pred\": 1}\n{\"pred\": 0}\n{\"pred\": 1}\n", data_of({})),
              ElementsAre(1, 0, 1));
}

// The truth often stands beside the predictions.
TEST(PredictedClasses, AreNeverTheLabels) {
  const DataSet data = data_of({"no", "yes"});
  EXPECT_THAT(read_predicted_classes("p", "text,label,pred\nx,no,yes\ny,yes,no\nz,no,yes\n", data),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(failure_of("{\"text\": \"x\", \"label\": \"no\"}\n", data),
              AllOf(HasSubstr("(label, text)"), HasSubstr("prediction, pred"), HasSubstr("--prediction-column")));
  EXPECT_THAT(read_predicted_classes("p", "text,label\nx,no\ny,yes\nz,yes\n", data, from_column("label")),
              ElementsAre(0, 1, 1));
  EXPECT_THAT(failure_of("text,label\nx,no\n", data, from_column("lable")), HasSubstr("prediction column 'lable'"));
  EXPECT_THAT(failure_of("pred,prediction\nno,yes\n", data), AllOf(HasSubstr("pred"), HasSubstr("Choose one")));
}

TEST(PredictedClasses, AreAListWhereTheFirstLineIsAClass) {
  EXPECT_THAT(read_predicted_classes("p", "prediction\nno\nno\n", data_of({"no", "prediction"})), ElementsAre(1, 0, 0));
  EXPECT_THAT(read_predicted_classes("p", "a,pred\nno\nno\n", data_of({"no", "a,pred"})), ElementsAre(1, 0, 0));
  EXPECT_THAT(failure_of("text,foo\nx,no\n", data_of({"no", "yes"})), HasSubstr("p:1: class 'text,foo'"));
}

TEST(PredictedClasses, AreNumbersOnlyWhereTheOrderIsGiven) {
  const DataSet named = data_of({"no", "yes"});
  EXPECT_THAT(failure_of("1\n0\n1\n", named), AllOf(HasSubstr("p:1: class '1'"), HasSubstr("--labels")));
  ClassPredictionOptions listed;
  listed.data_options.labels = "classes.json";
  EXPECT_THAT(read_predicted_classes("p", "1\n0\nyes\n", named, listed), ElementsAre(1, 0, 1));
  EXPECT_THAT(failure_of("2\n0\n1\n", named, listed), AllOf(HasSubstr("from 0 to 1"), HasSubstr("no, yes")));
}

TEST(PredictedClasses, StandInTheOrderOfTheData) {
  const DataSet data = data_of({});
  EXPECT_THAT(failure_of("text,pred\nx,0\nz,1\ny,0\n", data),
              AllOf(HasSubstr("p:3: the text is 'z'"), HasSubstr("example 2 of d is 'y'"), HasSubstr("order")));
  DataSet with_ids = data;
  for (std::size_t i = 0; i < 3; ++i) with_ids.examples[i].id = std::to_string(i + 7);
  EXPECT_THAT(read_predicted_classes("p", "id,pred\n7,0\n8,1\n9,0\n", with_ids), ElementsAre(0, 1, 0));
  EXPECT_THAT(failure_of("id,pred\n7,0\n9,1\n8,0\n", with_ids),
              AllOf(HasSubstr("p:3: the id is '9'"), HasSubstr("'8'")));
}

TEST(PredictedClasses, NameTheLineOfWhatDoesNotFit) {
  const DataSet data = data_of({});
  EXPECT_THAT(failure_of("0\n2\n1\n", data), AllOf(HasSubstr("p:2: class '2'"), HasSubstr("from 0 to 1")));
  EXPECT_THAT(failure_of("no\nyse\nno\n", data_of({"no", "yes"})),
              AllOf(HasSubstr("p:2: class 'yse'"), HasSubstr("no, yes")));
  EXPECT_THAT(failure_of("0\n1\n", data), HasSubstr("p:2: only 2 predictions, but d has 3 examples"));
  EXPECT_THAT(failure_of("0\n1\n0\n1\n1\n", data), HasSubstr("p:4: 5 predictions for the 3 examples of d"));
  EXPECT_THAT(failure_of("0\n\n1\n", data), HasSubstr("p:2: class ''"));
}

}  // namespace
}  // namespace transformeter

// Columns by name and classes by label.
#include "datasets/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/hash.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DataSet read(std::string_view text, const DataOptions& options = {}) {
  return read_classification(read_delimited("f.csv", text), options);
}

template <typename Call>
std::string failure(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "accepted";
}

std::string failure_of(std::string_view text, const DataOptions& options = {}) {
  const std::string reason = failure([&] { read(text, options); });
  EXPECT_NE(reason, "accepted") << text;
  return reason;
}

std::vector<int> labels_of(const DataSet& data) {
  std::vector<int> labels;
  for (const Example& example : data.examples) labels.push_back(example.label.value_or(-1));
  return labels;
}

TEST(Classification, OrdersNamedLabels) {
  const DataSet data = read("text,category\na,pear\nb,apple\nc,pear\n");
  EXPECT_THAT(labels_of(data), ElementsAre(1, 0, 1));
  EXPECT_EQ(data.label_count, 2);
  EXPECT_THAT(data.label_names, ElementsAre("apple", "pear"));
}

TEST(Classification, TakesNumbersAsClasses) {
  const DataSet data = read("label,sentence\n2,a\n0,b\n");
  EXPECT_THAT(labels_of(data), ElementsAre(2, 0));
  EXPECT_EQ(data.label_count, 3) << "class 1 has no example";
  EXPECT_THAT(data.label_names, IsEmpty());
  EXPECT_THAT(read("text,label\na,-1\nb,1\n").label_names, ElementsAre("-1", "1")) << "negative numbers are names";
}

TEST(Classification, FindsPairsAndLeavesUnlabelledRowsUnlabelled) {
  const DataSet data = read("id,premise,hypothesis\n1,p,h\n");
  EXPECT_EQ(data.examples[0].text, "p");
  EXPECT_EQ(data.examples[0].text_pair, "h");
  EXPECT_EQ(data.label_count, 0);
  EXPECT_EQ(data.examples[0].label, std::nullopt);
}

TEST(Classification, TakesTheColumnsItIsGiven) {
  DataOptions options;
  options.text_column = "body";
  options.text_pair_column = "title";
  options.label_column = "stars";
  const DataSet data = read("title,body,stars,text\nt,b,5,x\n", options);
  EXPECT_EQ(data.examples[0].text, "b");
  EXPECT_EQ(data.examples[0].text_pair, "t");
  EXPECT_EQ(data.examples[0].label, 5);
}

TEST(Classification, FindsTextsAndTargetsByTheirUsualPairs) {
  DataOptions options;
  options.has_target_texts = true;
  for (const char* header : {"text,target", "text,summary", "source,target", "input,target", "input,output",
                             "document,summary", "article,highlights", "article,summary", "dialogue,summary",
                             "question,answer", "title,text,target", "source,text,target", "text,label,summary"}) {
    SCOPED_TRACE(header);
    // Each cell is its column's name.
    const DataSet data = read(std::string(header) + "\n" + header + "\n", options);
    const std::string names = header;
    const std::size_t last = names.find_last_of(',');
    EXPECT_EQ(data.examples[0].target, names.substr(last + 1));
    const bool has_third = names.find(',') != last;
    const std::string first = names.substr(0, names.find(','));
    EXPECT_EQ(data.examples[0].text, has_third ? "text" : first);
    EXPECT_EQ(data.label_count, 0);
    EXPECT_EQ(data.examples[0].label, std::nullopt);
  }
}

TEST(Classification, FindsTextsWithoutTargetsByTheirUsualNames) {
  DataOptions options;
  options.has_target_texts = true;
  const auto text = [&](const std::string& header) {
    return read(header + "\n" + header + "\n", options).examples[0].text;
  };
  EXPECT_EQ(text("source,sentence"), "sentence") << "of a usual text before half a pair of text and target";
  EXPECT_EQ(text("article,premise,hypothesis"), "premise");
  EXPECT_EQ(text("id,article"), "article");
  EXPECT_EQ(text("sentence,document,summary"), "document") << "a whole pair comes first";
}

TEST(Classification, PassesOverTargetsThatAreLists) {
  DataOptions options;
  options.has_target_texts = true;
  const DataTable table =
      read_json_lines("f.jsonl", "{\"question\": \"why\", \"answer\": [\"a\", \"b\"], \"summary\": \"c\"}\n");
  const DataSet data = read_classification(table, options);
  EXPECT_EQ(data.examples[0].text, "why");
  EXPECT_EQ(data.examples[0].target, "c");
  options.label_column = "answer";
  EXPECT_THAT(failure([&] { read_classification(table, options); }), HasSubstr("the value of 'answer' is an array"));
}

TEST(Classification, TakesTheTargetsItIsGiven) {
  DataOptions options;
  options.has_target_texts = true;
  options.label_column = "de";
  EXPECT_EQ(read("text,target,de\na,b,c\n", options).examples[0].target, "c");
  options.text_column = "en";
  const DataSet data = read("en,de,target\na,b,c\n", options);
  EXPECT_EQ(data.examples[0].text, "a");
  EXPECT_EQ(data.examples[0].target, "b");
  options.label_column.clear();
  EXPECT_EQ(read("en,target\na,b\n", options).examples[0].target, "b");
  EXPECT_EQ(read("en,note\na,b\n", options).examples[0].target, std::nullopt) << "none is known";
  options.label_column = "fr";
  EXPECT_THAT(failure_of("en,target\na,b\n", options), AllOf(HasSubstr("label column 'fr'"), HasSubstr("en, target")));
  options.label_column = "en";
  EXPECT_THAT(
      failure_of("en,target\na,b\n", options),
      AllOf(HasSubstr("f.csv: label column 'en'"), HasSubstr("it is the column of texts"), HasSubstr("--text-column")));
}

TEST(Classification, KeepsToAListOfClasses) {
  const TemporaryFolder folder;
  DataOptions options;
  for (const char* list : {"[\"pear\", \"fig\", \"apple\"]", "pear\nfig\r\napple\n"}) {
    options.labels = folder.write("classes", list).string();
    const DataSet data = read("text,label\na,apple\nb,pear\n", options);
    EXPECT_THAT(labels_of(data), ElementsAre(2, 0));
    EXPECT_EQ(data.label_count, 3);
    EXPECT_THAT(failure_of("text,label\na,apple\nb,pare\n", options),
                AllOf(HasSubstr("f.csv:3: label 'pare'"), HasSubstr("pear, fig, apple"), HasSubstr("mean 'pear'")));
  }
}

TEST(Classification, TakesNumbersForPlacesInAListOfClasses) {
  const TemporaryFolder folder;
  DataOptions options;
  options.labels = folder.write("classes", "negative\npositive\n").string();
  const DataSet data = read("text,label\na,1\nb,0\n", options);
  EXPECT_THAT(labels_of(data), ElementsAre(1, 0));
  EXPECT_THAT(data.label_names, ElementsAre("negative", "positive"));
  EXPECT_THAT(failure_of("text,label\na,2\n", options), HasSubstr("f.csv:2: label '2'"));
  EXPECT_THAT(failure_of("text,label\na,positive\nb,0\n", options),
              AllOf(HasSubstr("f.csv:3: label '0'"), HasSubstr("names")));
  options.labels = folder.write("classes", "1\n0\n").string();
  EXPECT_THAT(labels_of(read("text,label\na,1\nb,0\n", options)), ElementsAre(0, 1)) << "a name before a place";
}

TEST(Classification, NumbersOfDescribedClassesArePlacesWhateverTheirNames) {
  DataTable table{"stars.parquet", {"text", "label"}, {{1, {"poor", "1"}}, {2, {"?", "-1"}}, {3, {"fine", "4"}}}};
  table.classes["label"] = {"1", "2", "3", "4", "5"};
  drop_unlabelled_rows(table, {});
  const DataSet data = read_classification(table, {});
  ASSERT_EQ(data.examples.size(), 2U) << "a row without a class is left out beside others with one";
  EXPECT_EQ(data.examples[0].label, 1);
  EXPECT_EQ(data.examples[1].label, 4);
  EXPECT_EQ(data.label_names, table.classes["label"]);
  DataTable unlabelled = table;
  for (TableRow& row : unlabelled.rows) row.cells[1] = "-1";
  drop_unlabelled_rows(unlabelled, {});
  EXPECT_EQ(read_classification(unlabelled, {}).examples.size(), 2U) << "none has one";
}

TEST(Classification, TargetsThatAreClassesAreTheirNames) {
  DataTable table{"news.parquet", {"text", "label"}, {{1, {"a", "1"}}, {2, {"b", "-1"}}, {3, {"c", "0"}}}};
  table.classes["label"] = {"World", "Sports"};
  DataOptions options;
  options.has_target_texts = true;
  options.label_column = "label";
  const DataSet data = read_classification(table, options);
  EXPECT_EQ(data.examples[0].target, "Sports");
  EXPECT_EQ(data.examples[1].target, std::nullopt);
  EXPECT_EQ(data.examples[2].target, "World");
  table.rows[0].cells[1] = "2";
  EXPECT_THAT(failure([&] { read_classification(table, options); }),
              AllOf(HasSubstr("news.parquet:1: label '2'"), HasSubstr("a number from 0 to 1")));
}

TEST(Classification, SaysWhatIsMissing) {
  EXPECT_THAT(failure_of("body,label\na,1\n"),
              AllOf(HasSubstr("f.csv"), HasSubstr("(body, label)"), HasSubstr("text, "), HasSubstr("--text-column")));
  DataOptions targets;
  targets.has_target_texts = true;
  EXPECT_THAT(failure_of("body,label\na,1\n", targets), HasSubstr("text, source, input, document, article, dialogue, "
                                                                  "question, sentence, content"));
  DataOptions options;
  options.label_column = "lable";
  EXPECT_THAT(failure_of("text,label\na,1\n", options), AllOf(HasSubstr("label column 'lable'"), HasSubstr("'label'")));
  EXPECT_THAT(failure_of("text,label\na,\n"), AllOf(HasSubstr("f.csv:2:"), HasSubstr("label is empty")));
}

TEST(Classification, ABlankTextIsAText) {
  const DataSet set = read("text,label\n ,1\n\"\",0\n");
  ASSERT_EQ(set.examples.size(), 2U);
  EXPECT_EQ(set.examples[0].text, " ");
  EXPECT_EQ(set.examples[1].text, "");
}

std::string failure_of_list(const std::string& labels) {
  try {
    load_label_list(labels);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(LabelList, RefusesWhatIsNoListOfNames) {
  const TemporaryFolder folder;
  const auto failure = [&](const char* content) { return failure_of_list(folder.write("classes", content).string()); };
  EXPECT_THAT(failure("a\n\nb\n"), AllOf(HasSubstr("classes:2:"), HasSubstr("no name")));
  EXPECT_THAT(failure("a\na\n"), AllOf(HasSubstr("classes:2:"), HasSubstr("'a'"), HasSubstr("once")));
  EXPECT_THAT(failure("[\"a\", 1]"), AllOf(HasSubstr("[1] '1' is not valid"), HasSubstr("a string")));
  EXPECT_THAT(failure("[]"), HasSubstr("no classes"));
  EXPECT_THAT(failure(""), HasSubstr("empty"));
}

TEST(LabelList, TakesNamesInPlaceOfAFile) {
  EXPECT_EQ(load_label_list("tabby cat, dog"), (std::vector<std::string>{"tabby cat", "dog"}));
  EXPECT_EQ(load_label_list("[\"crane, bird\", \"dog\"]"), (std::vector<std::string>{"crane, bird", "dog"}));
  const TemporaryFolder folder;
  const std::string file = folder.write("a,b", "cat\ndog\n").string();
  EXPECT_EQ(load_label_list(file), (std::vector<std::string>{"cat", "dog"})) << "a file whose name has a comma";
  EXPECT_EQ(sha256_of_label_list(file), sha256_hex("cat\ndog\n"));
  EXPECT_NE(sha256_of_label_list("cat,dog"), sha256_of_label_list("dog,cat"));
  EXPECT_THAT(failure_of_list("cat,,dog"), AllOf(HasSubstr("labels:2:"), HasSubstr("no name")));
  EXPECT_THAT(failure_of_list("cat,dog,cat"), AllOf(HasSubstr("labels:3:"), HasSubstr("'cat'"), HasSubstr("once")));
  EXPECT_THAT(failure_of_list("cat"),
              AllOf(HasSubstr("labels 'cat'"), HasSubstr("no such file"), HasSubstr("comma-separated names")));
}

}  // namespace
}  // namespace transformeter

// Rows of delimited text and JSON Lines, and every way they can be wrong.
#include "datasets/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Cells = std::vector<std::optional<std::string>>;

template <typename Read>
std::string failure_of(Read read, std::string_view text) {
  try {
    read("f.csv", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

TEST(Delimited, ReadsQuotingLineBreaksAndBothLineEnds) {
  const DataTable table =
      read_delimited("f.csv", "text,label\r\nplain,a\r\n\"with, comma\nand break\",b\n\"a \"\"b\"\"\",\n");
  EXPECT_THAT(table.columns, ElementsAre("text", "label"));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].cells, (Cells{"plain", "a"}));
  EXPECT_EQ(table.rows[1].cells, (Cells{"with, comma\nand break", "b"}));
  EXPECT_EQ(table.rows[2].cells, (Cells{"a \"b\"", ""}));
  EXPECT_EQ(table.rows[1].line, 3u);
  EXPECT_EQ(table.rows[2].line, 5u) << "the record before holds a line break";
}

TEST(Delimited, TakesTheSeparatorFromTheHeader) {
  EXPECT_EQ(read_delimited("f", "a\tb\n1,5\t2\n").rows[0].cells, (Cells{"1,5", "2"}));
  EXPECT_EQ(read_delimited("f", "a;b\n1,5;2").rows[0].cells, (Cells{"1,5", "2"}));
  EXPECT_EQ(read_delimited("f", "a\none\n\ntwo").rows.size(), 3u) << "in one column an empty line is an empty field";
}

TEST(Delimited, LeavesQuotationMarksInsideAFieldAlone) {
  EXPECT_EQ(read_delimited("f", "a,b\n5\" disc, x\"\n").rows[0].cells, (Cells{"5\" disc", " x\""}));
}

TEST(Delimited, SkipsEmptyLinesBetweenRecords) {
  const DataTable table = read_delimited("f", "a,b\n1,2\n\r\n3,4\n\n");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].line, 4u);
}

TEST(Delimited, NamesTheLineOfWhatIsWrong) {
  const auto failure = [](std::string_view text) { return failure_of(read_delimited, text); };
  EXPECT_THAT(failure("a,b\n1,2\n1\n"), AllOf(HasSubstr("f.csv:3: 1 fields"), HasSubstr("2 columns (a, b)")));
  EXPECT_THAT(failure("a,b\n1,2,3\n"), HasSubstr("f.csv:2: 3 fields"));
  EXPECT_THAT(failure("a,b\n1,2\n\"open,3\nmore\n"), AllOf(HasSubstr("f.csv:3:"), HasSubstr("never closed")));
  EXPECT_THAT(failure("a,b\n\"x\ny\"z,1\n"), AllOf(HasSubstr("f.csv:3:"), HasSubstr("'z,1"), HasSubstr("closing")));
  EXPECT_THAT(failure("a,a\n"), AllOf(HasSubstr("f.csv:1: column 'a'"), HasSubstr("unique")));
  EXPECT_THAT(failure("a,\n"), HasSubstr("f.csv:1: column 2 has no name"));
  EXPECT_THAT(failure("a,b\n\""), HasSubstr("f.csv:2:"));
}

TEST(Delimited, ReadsALineOfAMegabyte) {
  const std::string text(1 << 20, 'x');
  EXPECT_EQ(read_delimited("f", "a,b\n" + text + ",1\n").rows[0].cells[0], text);
  const std::string failure = failure_of(read_delimited, text + "\n1,2\n");
  EXPECT_LT(failure.size(), 300u) << "an error shows the beginning only";
}

TEST(JsonLines, TakesKeysAsColumnsAndFillsGaps) {
  const DataTable table = read_json_lines("f",
                                          "{\"text\": \"a\\nb\", \"label\": 3}\n\n{\"label\": null, \"text\": \"c\"}\n"
                                          "{\"text\": \"d\", \"extra\": true}\n");
  EXPECT_THAT(table.columns, ElementsAre("label", "text", "extra"));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].cells, (Cells{"3", "a\nb", std::nullopt}));
  EXPECT_EQ(table.rows[1].cells, (Cells{std::nullopt, "c", std::nullopt}));
  EXPECT_EQ(table.rows[2].cells, (Cells{std::nullopt, "d", "true"}));
  EXPECT_EQ(table.rows[2].line, 4u);
}

TEST(JsonLines, NamesTheLineOfWhatIsWrong) {
  const auto failure = [](std::string_view text) { return failure_of(read_json_lines, text); };
  EXPECT_THAT(failure("{\"text\": \"a\"}\n{\"text\": \n"), AllOf(HasSubstr("f.csv:2:"), HasSubstr("not valid JSON")));
  EXPECT_THAT(failure("[1]\n"), AllOf(HasSubstr("f.csv:1:"), HasSubstr("array"), HasSubstr("object")));
  EXPECT_THAT(failure("{\"text\": [[1]]}\n"), AllOf(HasSubstr("f.csv:1:"), HasSubstr("'text' is an array")));
  EXPECT_THAT(failure("{\"text\": {\"a\": 1}}\n"), AllOf(HasSubstr("f.csv:1:"), HasSubstr("'text' is an object")));
  const std::string unclosed = "{\"text\": \"" + std::string(1 << 20, 'x');
  EXPECT_LT(failure(unclosed).size(), 600u) << "an error shows the beginning only";
}

TEST(JsonLines, KeepsListsAndSaysWhereTheyAre) {
  const DataTable table = read_json_lines("f.jsonl", "{\"text\": \"a\"}\n{\"labels\": [\"x\", 3]}\n");
  EXPECT_EQ(table.rows[1].cells, (Cells{std::nullopt, "[\"x\",3]"}));
  EXPECT_NO_THROW(table.check_has_no_lists(0));
  try {
    table.check_has_no_lists(1);
    FAIL() << "a list was overlooked";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("f.jsonl:2:"), HasSubstr("'labels' is an array")));
  }
}

TEST(DataTable, SuggestsTheNearestColumn) {
  const DataTable table = read_delimited("f.csv", "sentence,label\na,b\n");
  EXPECT_EQ(table.at("label", "label column"), 1u);
  try {
    table.at("labels", "label column");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("f.csv: label column 'labels'"), HasSubstr("sentence, label"),
                                    HasSubstr("Did you mean 'label'")));
  }
}

}  // namespace
}  // namespace transformeter

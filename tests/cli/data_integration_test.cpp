// `data` on the bundled sentences and on files of users.
#include <gmock/gmock.h>

#include "cli/shell.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DataCommandTest : public CommandTest {};

TEST_F(DataCommandTest, DescribesTheBundledSentences) {
  const ShellResult result = shell("$T data");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("300 texts, sequence_classification, SHA-256 "),
                    HasSubstr("tokens of distilbert-base, per text: mean "), HasSubstr("rows of"), HasSubstr("class")));
}

TEST_F(DataCommandTest, ReadsFilesOfUsersAndWritesFiles) {
  folder_.write("a.tsv", "words\tkind\nthe the\tgood\nthe\tbad\nthe the the\tgood\n");
  const ShellResult result = shell("$T data a.tsv --text-column words --label-column kind --model bert-test -o a.json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Json json = Json::parse(read_file(folder_.path() / "a.json"));
  EXPECT_EQ(json.at("texts"), 3);
  EXPECT_EQ(json.at("tokens").at("max"), 5);
  EXPECT_EQ(json.at("classes"), Json::parse(R"([{"name": "bad", "texts": 1}, {"name": "good", "texts": 2}])"));
}

TEST_F(DataCommandTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(shell("$T data none.tsv").exit_code, 3);
  EXPECT_THAT(shell("printf 'x\\ty\\n' > bad.tsv; $T data bad.tsv").errors, HasSubstr("bad.tsv"));
  EXPECT_THAT(shell("$T data --model distilbert-bas").errors, HasSubstr("'distilbert-base'"));
  const ShellResult over_itself =
      shell("printf 'text\\nthe\\n' > in.csv; $T data in.csv --format json -o ./in.csv; cat in.csv");
  EXPECT_EQ(over_itself.output, "text\nthe\n");
  EXPECT_THAT(over_itself.errors, HasSubstr("it is the file that is read"));
  // Errors of rows once ended in a crash: two types had one name.
  EXPECT_EQ(shell("printf 'text,label\\na,\"b\\n' > open.csv; $T data open.csv").exit_code, 3);
  EXPECT_EQ(shell("printf '{\"text\": [\\n' > open.jsonl; $T data open.jsonl").exit_code, 3);
  EXPECT_THAT(shell("$T data -o a.csv").errors, HasSubstr(".txt or .json"));
}

}  // namespace
}  // namespace transformeter

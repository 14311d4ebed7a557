// `tokenize` with pairs, limits, strides and ids: what Hugging Face `tokenizers` says
// (scripts/references/tokenize_options_reference.py), and which options go together.
#include <gmock/gmock.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/shell.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string quoted(const std::string& argument) {
  return " '" + argument + "'";  // no argument of these tests holds one
}

class TokenizeOptions : public CommandTest {
 protected:
  TokenizeOptions() { folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##able\na\nb\n-\n"); }

  Json texts_of(const std::string& arguments) const {
    const ShellResult result = shell("$T tokenize --model . --format json" + arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.errors;
    return Json::parse(result.output, nullptr, false).value("texts", Json());
  }
};

TEST_F(TokenizeOptions, EqualHuggingFace) {
  const Json reference =
      parse_json("options.json", read_file(source_directory() / "tests/data/tokenizer/options.json"));
  std::size_t compared = 0;
  for (const Json& kind : reference.at("kinds")) {
    folder_.write("tokenizer.json", kind.at("tokenizer").dump());
    for (const Json& one : kind.at("cases")) {
      std::string arguments;
      for (const Json& argument : one.at("arguments")) arguments += quoted(argument.get<std::string>());
      const Json texts = texts_of(arguments);
      ASSERT_EQ(texts.size(), one.at("texts").size()) << arguments;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        for (const auto& [key, value] : one.at("texts")[i].items()) {
          EXPECT_EQ(texts[i].value(key, Json()), value) << arguments << " " << key;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 400u);
}

TEST_F(TokenizeOptions, ShowAPairWithItsTypesAndTexts) {
  EXPECT_EQ(shell("$T tokenize --model . 'a b' --pair unable --max-length 6").output,
            "position  id  token   type  of      characters  text\n"
            "       0   2  [CLS]      0\n"
            "       1   6  a          0  first          0-1  a\n"
            "       2   3  [SEP]      0\n"
            "       3   4  un         1  second         0-2  un\n"
            "       4   5  ##able     1  second         2-6  able\n"
            "       5   3  [SEP]      1\n");
}

TEST_F(TokenizeOptions, ShowWindowsThatShareTheStride) {
  const ShellResult result = shell("$T tokenize --model . a --pair 'a b a b' --max-length 7 --stride 2");
  EXPECT_THAT(result.output, AllOf(HasSubstr("window 0\nposition"), HasSubstr("\n\nwindow 1\nposition"),
                                   testing::Not(HasSubstr("window 2"))));
  const Json windows = texts_of(" a --pair 'a b a b' --max-length 7 --stride 2");
  EXPECT_EQ(windows.at(0).at("ids"), Json({2, 6, 3, 6, 7, 6, 3}));
  EXPECT_EQ(windows.at(1).at("ids"), Json({2, 6, 3, 7, 6, 7, 3}));
  EXPECT_EQ(windows.at(1).at("window"), 1);
}

TEST_F(TokenizeOptions, DecodeIdsOfTheLineAndOfFiles) {
  EXPECT_EQ(shell("$T tokenize --model . --decode '[4, 5]'").output,
            "position  id  token\n"
            "       0   4  un\n"
            "       1   5  ##able\n"
            "text: unable\n");
  folder_.write("ids.txt", "2 6 3\n4,5\n");
  const Json texts = texts_of(" --decode --skip-special-tokens --file ids.txt");
  EXPECT_EQ(texts.at(0).at("text"), "a");
  EXPECT_EQ(texts.at(1), Json::parse(R"({"ids": [4, 5], "tokens": ["un", "##able"], "text": "unable"})"));
}

TEST_F(TokenizeOptions, TruncateToTheLengthOfTheFolder) {
  folder_.write("tokenizer_config.json", R"({"model_max_length": 4})");
  const auto ids = [&](const std::string& arguments) { return texts_of(arguments)[0]["ids"]; };
  EXPECT_EQ(ids(" 'a b a b'"), Json({2, 6, 7, 6, 7, 3})) << "only when asked, as Transformers does";
  EXPECT_EQ(ids(" --truncate 'a b a b'"), Json({2, 6, 7, 3}));
  EXPECT_EQ(ids(" --truncate --truncation-side left 'a b b b'"), Json({2, 7, 7, 3}));
  folder_.write("tokenizer_config.json", R"({"model_max_length": 1e30})");
  EXPECT_EQ(ids(" --truncate 'a b a b'"), Json({2, 6, 7, 6, 7, 3}));
}

TEST_F(TokenizeOptions, AreRefusedWhereTheyMeanNothing) {
  const auto refused = [&](const std::string& arguments, const testing::Matcher<std::string>& message) {
    const ShellResult result = shell("$T tokenize --model . " + arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_TRUE(result.output.empty()) << arguments;
    EXPECT_THAT(result.errors, message) << arguments;
  };
  folder_.write("a.txt", "a\n");
  refused("--file a.txt --pair b", AllOf(HasSubstr("--pair"), HasSubstr("TEXT")));
  refused("a --stride 1", AllOf(HasSubstr("--stride"), HasSubstr("--pair"), HasSubstr("--max-length")));
  refused("a --pair b --stride 1", AllOf(HasSubstr("--stride"), HasSubstr("--max-length")));
  refused("a --truncation-side left", AllOf(HasSubstr("--truncation-side"), HasSubstr("--max-length")));
  refused("a --truncate --max-length 5", AllOf(HasSubstr("--truncate"), HasSubstr("--max-length")));
  refused("a --max-length 5 --truncation-side up", AllOf(HasSubstr("'up'"), HasSubstr("left, right")));
  refused("a --pair b --max-length 9 --stride 1 --truncation-side left", HasSubstr("cannot go with --stride"));
  refused("a --pair b --max-length 9 --stride 1 --no-special-tokens", HasSubstr("cannot go with --stride"));
  refused("a --max-length 1", AllOf(HasSubstr("'1'"), HasSubstr("at least 2")));
  refused("a --max-length 0", AllOf(HasSubstr("--max-length"), HasSubstr("'0'"), HasSubstr("at least 1")));
  refused("a --pair b --max-length x --stride 1", AllOf(HasSubstr("'x'"), HasSubstr("whole number")));
  refused("a --pair b --max-length 6 --stride -1", AllOf(HasSubstr("--stride"), HasSubstr("'-1'")));
  refused("a --pair b --max-length 6 --stride 2", AllOf(HasSubstr("'6'"), HasSubstr("above 6")));
  refused("a --skip-special-tokens", AllOf(HasSubstr("--skip-special-tokens"), HasSubstr("--decode")));
  for (const char* option :
       {"--pair b", "--max-length 4", "--truncate", "--stride 1", "--truncation-side left", "--no-special-tokens"}) {
    refused(std::string("--decode 4 ") + option, AllOf(HasSubstr(split(option, ' ').front()), HasSubstr("--decode")));
  }
  refused("--decode 4x", AllOf(HasSubstr("'4x'"), HasSubstr("101 7592 102")));
  refused("--decode 99", AllOf(HasSubstr("'99'"), HasSubstr("from 0 to 8")));
  folder_.write("ids.txt", "4\n-5\n");
  refused("--decode --file ids.txt", AllOf(HasSubstr("ids.txt:2: "), HasSubstr("'-5'")));
}

}  // namespace
}  // namespace transformeter

// `tokenize` through the real command: texts, files, standard input, formats and refusals.
#include <gmock/gmock.h>

#include "base/text.h"
#include "cli/shell.h"
#include "support/shared_data.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Tokenize : public CommandTest {
 protected:
  Tokenize() { folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##able\na\nb\n-\n"); }
};

TEST_F(Tokenize, ShowsIdsTokensAndCharacters) {
  const ShellResult result = shell("$T tokenize --model vocab.txt 'unable \u00C3'");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output,
            "position  id  token   characters  text\n"
            "       0   2  [CLS]\n"
            "       1   4  un             0-2  un\n"
            "       2   5  ##able         2-6  able\n"
            "       3   6  a              7-8  \u00C3\n"
            "       4   3  [SEP]\n");
}

// A program of others, on the tokenizers' library and nothing else of the project.
TEST_F(Tokenize, CountsAsTheExampleOnTheLibraryAlone) {
  const std::string program = (binary_directory() / "bin/count-tokens").string();
  const ShellResult result = shell("printf 'unable a\\n\\nb' | " + program + " .");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "5\n2\n3\n10 tokens of 9 kinds\n");
  EXPECT_EQ(shell(program + " /nowhere < vocab.txt").exit_code, 3);
}

TEST_F(Tokenize, WritesOneObjectALineForEachLineOfAFile) {
  folder_.write("texts.txt", "a b\n\nb\r\nunable");
  const ShellResult result = shell("$T tokenize --model . --file texts.txt --format jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::vector<std::string> lines = split(result.output, '\n');
  ASSERT_EQ(lines.size(), 5u) << "four texts, an empty one among them, and the end";
  EXPECT_EQ(Json::parse(lines[0]), Json::parse(R"({"text": "a b", "ids": [2, 6, 7, 3],
      "tokens": ["[CLS]", "a", "b", "[SEP]"], "offsets": [[0, 0], [0, 1], [2, 3], [0, 0]], "type_ids": [0, 0, 0, 0]})"));
  EXPECT_EQ(Json::parse(lines[1])["ids"], Json({2, 3}));
  EXPECT_EQ(Json::parse(lines[2])["offsets"][1], Json({0, 1}));
  const ShellResult piped = shell("cat texts.txt | $T tokenize --model . --file - --format jsonl");
  EXPECT_EQ(piped.output, result.output);
}

TEST_F(Tokenize, ReadsFilesFromWindowsAndPackedOnes) {
  folder_.write("texts.txt",
                "\xEF\xBB\xBF"
                "a b\r\nb\r\n");
  ASSERT_EQ(shell("gzip -k texts.txt").exit_code, 0);
  for (const char* command : {"$T tokenize --model . --format json --file texts.txt",
                              "$T tokenize --model . --format json --file texts.txt.gz",
                              "cat texts.txt | $T tokenize --model . --format json --file -"}) {
    const Json texts = Json::parse(shell(command).output)["texts"];
    ASSERT_EQ(texts.size(), 2u) << command;
    EXPECT_EQ(texts[0]["text"], "a b");
    EXPECT_EQ(texts[1]["text"], "b");
  }
}

// Without an end of its input, the command still writes what it has; and Ctrl-C ends it.
TEST_F(Tokenize, WritesAsItGoesAndStopsWhenAsked) {
  std::string texts;
  for (int i = 0; i < 200'000; ++i) texts += "unable a b unable a b unable a b\n";
  folder_.write("many.txt", texts);
  folder_.write("stop.py", R"(
import subprocess, signal, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
first = child.stdout.read(1000)
child.send_signal(signal.SIGINT)
rest, errors = child.communicate()
print("exit", child.returncode, len(first), (first + rest).count(b"\n") < 200000, errors.decode().strip())
)");
  const ShellResult stopped = shell("python3 stop.py $T tokenize --model . --file many.txt --format jsonl");
  EXPECT_EQ(stopped.output, "exit 130 1000 True transformeter: stopped by the user\n") << stopped.errors;
}

TEST_F(Tokenize, PresetsHaveNoChatTemplateNotEvenThatOfTheFolder) {
  folder_.write("tokenizer_config.json", R"({"chat_template": "x"})");
  folder_.write("chat.json", R"([{"content": "a", "role": "a"}])");
  const ShellResult result = shell("$T tokenize --model bert-mini --chat chat.json");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("'bert-mini'"), HasSubstr("no chat template")));
}

TEST_F(Tokenize, TextIsNeverTakenForAFile) {
  folder_.write("a", "b");
  const ShellResult result = shell("$T tokenize --model . a --format json --no-special-tokens");
  EXPECT_EQ(Json::parse(result.output)["texts"][0]["ids"], Json({6}));
  EXPECT_EQ(Json::parse(shell("$T tokenize --model . --format json -- -a").output)["texts"][0]["ids"],
            Json({2, 8, 6, 3}));
  EXPECT_EQ(Json::parse(shell("$T tokenize --model . --format json '[SEP]'").output)["texts"][0]["ids"],
            Json({2, 3, 3}));
}

TEST_F(Tokenize, PutsAConversationTogetherByTheChatTemplate) {
  folder_.write(
      "tokenizer_config.json",
      R"({"chat_template": "{% for m in messages %}{{ m.role }} {{ m.content }}\n[SEP]{% endfor %}{% if add_generation_prompt %} b{% endif %}"})");
  folder_.write("chat.json", R"([{"content": "unable", "role": "a"}])");
  const ShellResult result = shell("$T tokenize --model . --chat chat.json --format jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const Json output = Json::parse(result.output);
  EXPECT_EQ(output["text"], "a unable\n[SEP] b");
  EXPECT_EQ(output["ids"], Json({6, 4, 5, 3, 7})) << "no [CLS]: the template writes what stands around the text";
  folder_.write("chat.json", "{}");
  EXPECT_THAT(shell("$T tokenize --model . --chat chat.json").errors, HasSubstr("chat.json: not a JSON array"));
  EXPECT_THAT(shell("$T tokenize --model . --chat chat.json text").errors, HasSubstr("either TEXT, or --file FILE"));
}

TEST_F(Tokenize, PresetsHaveTheBundledVocabulary) {
  const ShellResult result = shell("$T tokenize --format json 'the film'");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Json::parse(result.output)["model"], "distilbert-base");
}

TEST_F(Tokenize, RefusesWithTheValueAndWhatIsAllowed) {
  const auto refused = [&](const std::string& arguments, const testing::Matcher<std::string>& message) {
    const ShellResult result = shell("$T tokenize " + arguments);
    EXPECT_EQ(result.exit_code, 3) << arguments;
    EXPECT_THAT(result.errors, message) << arguments;
  };
  refused("--model .", AllOf(HasSubstr("TEXT"), HasSubstr("--file")));
  refused("--model . a --file a", HasSubstr("either"));
  refused("--model bert-bsae a", AllOf(HasSubstr("'bert-bsae'"), HasSubstr("Did you mean 'bert-base'?"),
                                       HasSubstr("tokenizer.json, vocab.txt, vocab.json with merges.txt")));
  refused("--model . --file none.txt", HasSubstr("none.txt"));
  refused("--model . --format csv a", AllOf(HasSubstr("'csv'"), HasSubstr("jsonl")));
  folder_.write("bad.txt", "a\nb\xFF\n");
  refused("--model . --file bad.txt", AllOf(HasSubstr("bad.txt:2"), HasSubstr("byte 3")));
  folder_.write("empty.txt", "");
  refused("--model . --file empty.txt", HasSubstr("empty.txt"));
  refused("--model /tmp a", HasSubstr("it must contain tokenizer.json, vocab.json with merges.txt"));
}

TEST_F(Tokenize, ReadsEveryKindOfTokenizerWithoutAModel) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto ids = [&](const std::string& name) {
    const std::string folder = (shared_data() / "tokenizers" / name).string();
    return Json::parse(shell("$T tokenize --model '" + folder + "' --format jsonl ' world'").output)["ids"];
  };
  EXPECT_EQ(ids("bert-base-uncased/vocab.txt"), Json({101, 2088, 102}));
  EXPECT_EQ(ids("gpt2"), Json({995}));
  EXPECT_EQ(ids("gpt2/encoder.json"), Json({995}));
  EXPECT_EQ(ids("qwen2"), Json({1879}));
}

TEST_F(Tokenize, SaysWhatVocabJsonLacks) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const ShellResult result = shell("$T tokenize --model '" + (shared_data() / "tokenizers/opt").string() + "' a");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("vocab.json"), HasSubstr("add_bos_token"), HasSubstr("RobertaTokenizer")));
}

TEST_F(Tokenize, ReadsARealTokenizerWithoutAModel) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const std::string folder = (shared_data() / "tokenizers/bert-base-uncased").string();
  const ShellResult result = shell("$T tokenize --model '" + folder + "' --format jsonl 'Hello, world!'");
  EXPECT_EQ(Json::parse(result.output)["ids"], Json({101, 7592, 1010, 2088, 999, 102}));
}

}  // namespace
}  // namespace transformeter

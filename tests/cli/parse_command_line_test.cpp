// Arguments against declarations of our own.
#include "cli/parse_command_line.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::ElementsAre;

class ParseCommandLine : public testing::Test {
 protected:
  ParseCommandLine() {
    program_.self = {.name = "transformeter", .options = {{.names = {"--version"}, .target = Request::kVersion}}};
    program_.commands.push_back(
        {.name = "wash",
         .options = {{.names = {"plates"}, .target = &plates_, .placeholder = "PLATE...", .is_required = true}}});
    program_.commands.push_back(
        {.name = "cook",
         .options = {{.names = {"dish"}, .target = &dish_, .placeholder = "DISH"},
                     {.names = {"-o", "--output"}, .target = &output_, .placeholder = "FILE", .is_required = true},
                     {.names = {"--raw"}, .target = &raw_},
                     {.names = {"--count"}, .target = &count_, .placeholder = "N"},
                     {.names = {"--salt"}, .target = &salt_, .placeholder = "TEXT", .may_be_empty = true},
                     {.names = {"--spice"}, .target = &spices_, .placeholder = "TEXT"},
                     {.names = {"--guests"}, .target = &guests_, .placeholder = "TEXT...", .takes_many = true},
                     {.names = {"--oven"}, .target = &oven_, .placeholder = "TEXT", .excludes = "--raw"},
                     {.names = {"-h", "--help"}, .target = Request::kHelp},
                     {.names = {"--help-all"}, .target = Request::kFullHelp}}});
  }

  ParsedCommandLine parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "transformeter");
    return parse_command_line(program_, static_cast<int>(arguments.size()), arguments.data());
  }

  std::string refusal(const std::vector<const char*>& arguments) {
    try {
      parse(arguments);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "none";
  }

  ProgramDeclaration program_;
  std::string dish_;
  std::string output_;
  bool raw_ = false;
  std::optional<std::int64_t> count_;
  std::optional<std::string> salt_;
  std::vector<std::string> spices_;
  std::vector<std::string> guests_;
  std::vector<std::string> plates_;
  std::optional<std::string> oven_;
};

TEST_F(ParseCommandLine, FillsTheTargetsOfTheCommandNamed) {
  const ParsedCommandLine parsed = parse({"cook", "--count", "3", "soup", "-o", "a.md", "--raw"});
  EXPECT_EQ(parsed.command, 1U);
  EXPECT_FALSE(parsed.request);
  EXPECT_EQ(dish_, "soup");
  EXPECT_EQ(output_, "a.md");
  EXPECT_TRUE(raw_);
  EXPECT_EQ(count_, 3);
  EXPECT_FALSE(salt_) << "not given";
}

TEST_F(ParseCommandLine, KeepsEmptyTextsAndBracketsAsTheyAre) {
  parse({"cook", "-o", "x", "--salt", "", "--spice", "[MASK]", "--guests", "[CLS]", "a b"});
  EXPECT_EQ(salt_, "");
  EXPECT_THAT(spices_, ElementsAre("[MASK]"));
  EXPECT_THAT(guests_, ElementsAre("[CLS]", "a b"));
}

TEST_F(ParseCommandLine, RefusesAnEmptyValueThatWouldPassForNone) {
  EXPECT_EQ(refusal({"cook", "-o", ""}), "--output is empty; give it a value.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "--oven", ""}), "--oven is empty; give it a value, or omit it.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "--count", ""}), "--count is empty; give it a value, or omit it.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "--guests", "a", ""}), "--guests is empty; give it a value, or omit it.");
  EXPECT_EQ(refusal({"cook", "-o", "x", ""}), "DISH is empty; give it a value, or omit it.");
}

TEST_F(ParseCommandLine, TakesOneValueEachTimeUnlessManyAreDeclared) {
  parse({"cook", "-o", "x", "--spice", "salt", "--spice", "pepper", "soup", "--guests", "a", "b"});
  EXPECT_THAT(spices_, ElementsAre("salt", "pepper"));
  EXPECT_EQ(dish_, "soup");
  EXPECT_THAT(guests_, ElementsAre("a", "b"));
}

TEST_F(ParseCommandLine, TakesABareCallForHelp) {
  const ParsedCommandLine bare = parse({});
  EXPECT_EQ(bare.request, Request::kHelp);
  EXPECT_FALSE(bare.command);
}

TEST_F(ParseCommandLine, PrefersARequestToWhatIsMissing) {
  const ParsedCommandLine help = parse({"cook", "--help"});
  EXPECT_EQ(help.request, Request::kHelp);
  EXPECT_EQ(help.command, 1U);
  EXPECT_EQ(parse({"cook", "--help-all"}).request, Request::kFullHelp);
  EXPECT_EQ(parse({"--version"}).request, Request::kVersion);
}

TEST_F(ParseCommandLine, NamesWhatHasNoPlaceAndWhereToRead) {
  EXPECT_EQ(refusal({"coook"}), "command 'coook' is not known. Did you mean 'cook'? See 'transformeter --help'.");
  EXPECT_EQ(refusal({"cook", "--outptu=x"}),
            "option '--outptu' is not known. Did you mean '--output'? See 'transformeter cook --help'.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "soup", "cake"}),
            "unexpected argument 'cake'. See 'transformeter cook --help'.");
  EXPECT_EQ(refusal({"cook"}), "--output is required. See 'transformeter cook --help'.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "--count", "many"}), "--count 'many' is not valid; expected a whole number.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "--raw", "--oven", "y"}),
            "cannot combine --raw with --oven. See 'transformeter cook --help'.");
  EXPECT_EQ(refusal({"cook", "-o"}), "--output needs a value. See 'transformeter cook --help'.");
  EXPECT_EQ(refusal({"cook", "-o", "x", "-o", "y"}),
            "--output is given more than once. See 'transformeter cook --help'.");
  EXPECT_EQ(refusal({"wash"}), "PLATE... is required. See 'transformeter wash --help'.");
  EXPECT_THAT(refusal({"cook", "--output="}), testing::HasSubstr("'--output='"));
}

TEST_F(ParseCommandLine, RefusesAnOptionThatWasDeclaredWithoutATarget) {
  program_.commands.back().options.push_back({.names = {"--lid"}, .help = "cover the pot"});
  try {
    parse({"cook", "-o", "x"});
    FAIL() << "the option would do nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    EXPECT_STREQ(error.what(), "the option --lid has no target");
  }
}

}  // namespace
}  // namespace transformeter

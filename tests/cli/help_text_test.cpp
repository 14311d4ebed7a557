// Rules that every help text keeps, and what --help and --help-all show.
#include "cli/help_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "cli/command.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

std::vector<CommandDeclaration> everything() {
  ProgramDeclaration program = described_program();
  program.commands.push_back(program.self);
  return program.commands;
}

// "batch size" and "YAML file", not "Batch size" and not "batch size."
void expect_style(const std::string& text, const std::string& where) {
  ASSERT_FALSE(text.empty()) << where;
  EXPECT_LE(display_width(text), 100U) << where << ": " << text;
  const bool is_acronym = text.size() > 1 && std::isupper(static_cast<unsigned char>(text[1])) != 0;
  EXPECT_TRUE(std::isupper(static_cast<unsigned char>(text[0])) == 0 || is_acronym) << where << ": " << text;
  EXPECT_TRUE(!text.ends_with('.') || text.ends_with("...")) << where << ": " << text;
  EXPECT_EQ(text, one_line(text)) << where;
}

TEST(Help, OfEveryOptionIsOneShortLine) {
  for (const CommandDeclaration& command : everything()) {
    expect_style(command.summary, command.name);
    for (const OptionDeclaration& option : command.options) {
      expect_style(option.help, command.name + " " + option.names.front());
      EXPECT_EQ(option.placeholder.empty(), !option.takes_value()) << command.name << " " << option.names.front();
    }
  }
}

TEST(Help, FitsTheWidthAskedFor) {
  const ProgramDeclaration program = described_program();
  for (const std::size_t width : {80U, 100U}) {
    std::string text = program_help(program, width);
    for (const CommandDeclaration& command : program.commands) {
      text += command_help(command, HelpDetail::kAll, width);
      for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), width) << line;
      text.clear();
    }
  }
}

TEST(Help, StillHasEveryWordInANarrowWindow) {
  const ProgramDeclaration program = described_program();
  const std::string text = command_help(command_named(program, "run"), HelpDetail::kAll, 40);
  EXPECT_THAT(split(text, '\n'), testing::Contains(HasSubstr("--gradient-checkpointing")));
  EXPECT_THAT(text, HasSubstr("page_faults"));
}

TEST(Help, OfTheProgramListsEveryCommandByTask) {
  const ProgramDeclaration program = described_program();
  const std::string text = program_help(program, 100);
  std::size_t at = 0;
  for (const char* title : {"\nStart with:\n", "\nMeasure:\n", "\nUnderstand results:\n", "\nModels and data:\n",
                            "\nTraining:\n", "\nMachine:\n", "\nShell:\n"}) {
    const std::size_t found = text.find(title);
    ASSERT_NE(found, std::string::npos) << title;
    EXPECT_GE(found, at) << title;
    at = found;
  }
  const std::vector<std::string> lines = split(text, '\n');
  for (const CommandDeclaration& command : program.commands) {
    const auto lists = [&](const std::string& line) {
      return line.starts_with("  " + command.name + " ") && line.ends_with(command.summary);
    };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), lists), 1) << command.name;
  }
}

TEST(Help, OfRunShowsCommonOptionsInGroupsAndSaysHowToSeeTheRest) {
  const ProgramDeclaration program = described_program();
  const CommandDeclaration& run = command_named(program, "run");
  const std::string text = command_help(run, HelpDetail::kCommon, 100);
  EXPECT_THAT(text, AllOf(HasSubstr("\nWorkload:\n"), HasSubstr("--batch-size N,..."), HasSubstr("[1,8,32]"),
                          Not(HasSubstr("--label-smoothing")), Not(HasSubstr("--huge-pages"))));
  EXPECT_TRUE(text.ends_with("\n--help-all shows all " + std::to_string(run.flags().size()) + " options.\n")) << text;
  const auto common = std::count_if(run.options.begin(), run.options.end(), [](const OptionDeclaration& option) {
    return option.is_common && !option.is_positional() && option.group != "help";
  });
  EXPECT_LE(common, 17) << "the dozen or so that most people want";
}

TEST(Help, InFullShowsEveryOptionOnce) {
  const ProgramDeclaration program = described_program();
  for (const char* name : {"run", "train", "finetune", "predict"}) {
    const CommandDeclaration& command = command_named(program, name);
    const std::string text = command_help(command, HelpDetail::kAll, 100);
    const std::vector<std::string> lines = split(text.substr(0, text.find("\nExamples:")), '\n');
    for (const OptionDeclaration* option : command.flags()) {
      const auto begins = [&](const std::string& line) {
        const std::string words = std::string(trim(line)) + " ";
        return !line.starts_with("       ") &&
               (words.starts_with(option->names.front() + " ") || words.starts_with(option->names.front() + ", "));
      };
      EXPECT_EQ(std::count_if(lines.begin(), lines.end(), begins), 1) << name << " " << option->names.front();
    }
    EXPECT_THAT(text, Not(HasSubstr("--help-all shows")));
  }
}

TEST(Help, HasTheGroupsOfTheSettingsInTheirOrder) {
  const ProgramDeclaration program = described_program();
  EXPECT_THAT(command_named(program, "run").groups(), ElementsAre("workload", "model", "engine", "launch", "generation",
                                                                  "training", "measuring", "output", "help"));
  EXPECT_THAT(command_named(program, "finetune").groups(), IsSupersetOf({"training", "evaluation", "checkpoints"}));
}

TEST(Help, InFullExistsWhereItShowsMore) {
  for (const CommandDeclaration& command : everything()) {
    const std::vector<std::string> names = command.option_names();
    const bool has_full = std::find(names.begin(), names.end(), "--help-all") != names.end();
    const bool hides = std::any_of(command.options.begin(), command.options.end(),
                                   [](const OptionDeclaration& option) { return !option.is_common; });
    EXPECT_EQ(has_full, hides) << command.name;
    EXPECT_TRUE(std::find(names.begin(), names.end(), "--help") != names.end()) << command.name;
  }
}

TEST(Help, NamesTheWordsThatAreAllowedAndTheDefault) {
  OptionDeclaration option{.names = {"--format"}, .help = "output format", .initial = "table"};
  option.words = {"table", "json"};
  EXPECT_EQ(full_help(option), "output format [table]") << "words to offer, of many";
  option.has_only_words = true;
  EXPECT_EQ(full_help(option), "output format; one of table, json [table]");
  option.help = "table for people, json for programs";
  EXPECT_EQ(full_help(option), "table for people, json for programs [table]");
  option.help = "output format";
  option.placeholder = "table|json";
  EXPECT_EQ(full_help(option), "output format [table]");
}

}  // namespace
}  // namespace transformeter

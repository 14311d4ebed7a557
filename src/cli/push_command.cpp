// `transformeter push`: a model folder to the hub.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "hub/push.h"
#include "terms/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};

constexpr const char* kExamples = R"(Examples:
  HF_TOKEN=... transformeter push my-model/ my-org/my-model
      all files of the folder as one commit on main; files that the hub has already are not sent again
  transformeter push my-model/ my-org/my-model --create --private
      makes the repository where there is none
  transformeter push my-model/ my-org/my-model --message "After 3 epochs"

A push that broke off goes on when it is repeated. Pickles are refused, hidden files are left out.)";

Json json_of(const PushOptions& options, const PushResult& result) {
  Json files = Json::array();
  for (const PushedFile& file : result.files) {
    files.push_back({{"path", file.path}, {"size_bytes", file.size}, {"state", name_of(file.state)}});
  }
  return {{"repository", options.repository.name},
          {"revision", options.revision},
          {"commit", result.commit.commit},
          {"url", result.commit.url},
          {"files", files}};
}

std::string table_of(const PushResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const PushedFile& file : result.files) {
    rows.push_back({file.path, format_bytes(static_cast<double>(file.size)), std::string(name_of(file.state))});
  }
  return text_table({{"file"}, {"size", true}, {"state"}}, rows) +
         fmt::format("\ncommit {}\n{}\n", result.commit.commit, result.commit.url);
}

class PushCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("push", "upload a model folder to the Hugging Face hub");
    describe_values(*app->add_option("folder", folder_, "a model folder: config.json, tokenizer, safetensors weights"),
                    "DIR");
    app->add_option("repository", name_, "where to: org/name")->option_text("MODEL");
    app->add_option("--revision", options_.revision, "the branch [main]")->option_text("BRANCH");
    app->add_option("--message", options_.message, fmt::format("of the commit [{}]", options_.message))
        ->option_text("TEXT");
    app->add_flag("--create", options_.creates, "make the repository where there is none");
    app->add_flag("--private", options_.is_private, "with --create: for its owners alone");
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (folder_.empty() || name_.empty()) {
      throw Error(ErrorKind::kBadInput, "push takes a model folder and a name, push DIR org/name");
    }
    if (options_.is_private && !options_.creates) {
      throw Error(ErrorKind::kBadInput, "--private says how --create makes a repository, and --create is not given");
    }
    options_.folder = folder_;
    options_.repository = parse_repository(RepositoryType::kModel, name_);
    if (options_.repository.type != RepositoryType::kModel || !is_repository_name(name_)) {
      throw bad_value("model", name_, "org/name");
    }
    const PushResult result = push_folder(context, interrupt);
    write_standard_output(format_ == "json" ? json_of(options_, result).dump(2) + "\n" : table_of(result));
    return kExitOk;
  }

 private:
  PushResult push_folder(const Context& context, const std::atomic<bool>& interrupt) const {
    HubConnection hub(interrupt);
    TransferLine line(context.clock, stderr);
    return push(hub.api(), options_, [&](const FetchProgress& progress) { line.draw(progress); });
  }

  std::string folder_;
  std::string name_;
  std::string format_;
  PushOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_push_command() {
  return std::make_unique<PushCommand>();
}

}  // namespace transformeter

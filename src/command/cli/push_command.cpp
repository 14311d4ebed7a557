// `transformeter push`: uploads a model folder to the Hub.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "hub/push.h"
#include "schema/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kFormats{"table", "json"};

constexpr UsageExample kExamples[] = {
    {"HF_TOKEN=... transformeter push my-model/ my-org/my-model",
     "every file of the folder as one commit on main; files that the Hub already has are not uploaded again"},
    {"transformeter push my-model/ my-org/my-model --create --private", "create the repository if missing"},
    {"transformeter push my-model/ my-org/my-model --message \"After 3 epochs\""},
};
constexpr const char* kNotes[] = {
    "An interrupted push continues when repeated. Pickles are refused, hidden files are skipped.",
};

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
  CommandDeclaration declare() override {
    return {
        .name = "push",
        .task = CommandTask::kModels,
        .summary = "upload a model folder to the Hugging Face Hub",
        .options = {{.names = {"folder"},
                     .target = &folder_,
                     .placeholder = "DIR",
                     .help = "model folder: config.json, tokenizer, safetensors weights"},
                    {.names = {"repository"},
                     .target = &name_,
                     .placeholder = "MODEL",
                     .help = "repository to upload to, org/name"},
                    {.names = {"--revision"},
                     .target = &options_.revision,
                     .placeholder = "BRANCH",
                     .help = "branch to commit to",
                     .initial = options_.revision},
                    {.names = {"--message"},
                     .target = &options_.message,
                     .placeholder = "TEXT",
                     .help = "commit message",
                     .initial = options_.message},
                    {.names = {"--create"}, .target = &options_.creates, .help = "create the repository if missing"},
                    {.names = {"--private"}, .target = &options_.is_private, .help = "with --create: make it private"},
                    format_option(format_, kFormats)},
        .examples = kExamples,
        .notes = kNotes};
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (folder_.empty() || name_.empty()) {
      throw Error(ErrorKind::kBadInput, "push needs a model folder and a repository: push DIR org/name");
    }
    if (options_.is_private && !options_.creates) {
      throw Error(ErrorKind::kBadInput, "--private applies to a new repository, but --create is not given");
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

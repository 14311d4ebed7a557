// `transformeter models`: the presets, which need no checkpoint, and what is known of a model before it runs.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "run/model_location.h"
#include "schema/status.h"
#include "spec/checkpoint.h"
#include "spec/model_facts.h"
#include "spec/presets.h"
#include "tokenizers/tokenizer_config.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter models"},
    {"transformeter models --format json"},
    {"transformeter models --describe qwen2.5-0.5b --sequence-length 2048"},
    {"transformeter models --describe ./my-model"},
};
constexpr const char* kNotes[] = {
    "Presets have seeded random weights: their speed and memory are real, their answers are not. Parameters do not "
    "include a task's head. FLOPs are those of matrix products and convolutions in a forward pass over the tokens in "
    "the last column, which are frames for models that read sounds; a multiply-add counts as 2.",
};

constexpr std::int64_t kDefaultLength = 128;

ModelConfig config_of(const std::string& model) {
  if (is_preset(model)) return preset(model);
  std::error_code ignored;
  const std::string place = locate_model(model).path;
  if (std::filesystem::is_directory(place, ignored)) return open_checkpoint(place).config;
  const Error unknown = unknown_value("model", model, preset_names());
  throw Error(ErrorKind::kBadInput,
              fmt::format("{} A folder with config.json and model.safetensors works too.", unknown.what()));
}

std::optional<std::int64_t> tokenizer_limit_of(const std::string& model) {
  if (is_preset(model)) return std::nullopt;
  return read_tokenizer_config(locate_model(model).path).model_max_length;
}

std::string flops_text(double flops) {
  return fmt::format("{} M", format_number(flops / 1e6));
}

// "sizes.heads" of {"sizes": {"heads": 12}}: a row for each value that is not an object.
void flatten(const std::string& name, const Json& value, std::vector<std::vector<std::string>>& rows) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) flatten(name.empty() ? key : name + "." + key, member, rows);
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (const Json& one : value) {
      const auto task = one.at("task").get<std::string>();
      rows.push_back({"task " + task, fmt::format("{} parameters, {} FLOPs per token", one.at("parameters").dump(),
                                                  flops_text(one.at("flops_per_token")))});
    }
  } else if (name.find("bytes") != std::string::npos && value.is_number()) {
    rows.push_back({name, format_bytes(value.get<double>())});
  } else if (name == "flops_per_token") {
    rows.push_back({name, flops_text(value)});
  } else {
    const bool is_none = value.is_null() || (value.is_array() && value.empty());
    rows.push_back({name, is_none ? "none" : value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

class ModelsCommand final : public Command {
 public:
  CommandDeclaration declare() override {
    return {.name = "models",
            .task = CommandTask::kModels,
            .summary = "list the model presets, or describe one model",
            .options = {{.names = {"--describe"},
                         .target = &described_,
                         .placeholder = "PRESET|DIR",
                         .help = "show one model's sizes, tasks, parameters, memory and FLOPs",
                         .words = preset_names()},
                        {.names = {"--sequence-length"},
                         .target = &asked_length_,
                         .placeholder = "N",
                         .help = "tokens, of sounds frames, in the forward pass that FLOPs are given for",
                         .initial = std::to_string(kDefaultLength)},
                        format_option(format_, {"table", "json"})},
            .examples = kExamples,
            .notes = kNotes};
  }

  int run(const Context&, const std::atomic<bool>&) override {
    check_format(format_, {"table", "json"});
    sequence_length_ = asked_length_.value_or(kDefaultLength);
    if (sequence_length_ < 1) {
      throw bad_value("sequence-length", std::to_string(sequence_length_), "a whole number of at least 1");
    }
    described_ = typed_preset(described_);
    write_standard_output(described_.empty() ? listed() : described());
    return kExitOk;
  }

 private:
  std::string listed() const {
    Json models = Json::array();
    std::vector<std::vector<std::string>> rows;
    for (const std::string& name : preset_names()) {
      const ModelFacts facts = model_facts(name, preset(name), sequence_length_);
      models.push_back(to_json(facts));
      rows.push_back({facts.name, facts.family, fmt::format("{}", facts.parameters),
                      format_bytes(static_cast<double>(facts.bytes)), flops_text(facts.flops_per_token),
                      std::to_string(facts.sequence_length)});
    }
    if (format_ == "json") return Json{{"models", models}}.dump(2) + "\n";
    return text_table(
        {{"name"}, {"family"}, {"parameters", true}, {"fp32", true}, {"FLOPs/token", true}, {"of tokens", true}}, rows);
  }

  std::string described() const {
    const ModelConfig config = config_of(described_);
    const Json json =
        describe_model(model_facts(described_, config, sequence_length_), config, tokenizer_limit_of(described_));
    if (format_ == "json") return json.dump(2) + "\n";
    std::vector<std::vector<std::string>> rows;
    flatten("", json, rows);
    return text_table({{"fact"}, {"value"}}, rows);
  }

  std::string format_;
  std::string described_;
  std::optional<std::int64_t> asked_length_;
  std::int64_t sequence_length_ = kDefaultLength;
};

}  // namespace

std::unique_ptr<Command> make_models_command() {
  return std::make_unique<ModelsCommand>();
}

}  // namespace transformeter

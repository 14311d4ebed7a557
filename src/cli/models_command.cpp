// `transformeter models`: the presets that need no checkpoint.
#include <fmt/format.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "spec/formulas.h"
#include "spec/presets.h"
#include "spec/tensor_inventory.h"
#include "terms/status.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter models
  transformeter models --format json

Presets have seeded random weights: their speed and memory are real, their answers are not.)";

struct ModelRow {
  std::string name;
  std::string family;
  std::int64_t parameters;  // without a head
  std::int64_t bytes;       // of fp32
};

// The base model is what carries the family's prefix, as in the published counts: BERT's with its pooler.
ModelRow row_of(const std::string& name) {
  const ModelConfig config = preset(name);
  const std::string family(name_of(config.architecture));
  std::vector<TensorSpec> base;
  for (const TensorSpec& tensor : tensor_inventory(config, "sequence_classification")) {
    if (tensor.name.starts_with(family + ".")) base.push_back(tensor);
  }
  return {name, family, parameter_count(base), weight_bytes(base, 4)};
}

class ModelsCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("models", "list the model presets");
    add_format_option(*app, format_, {"table", "json"});
    app->footer(kExamples);
    return app;
  }

  int run(const Context&, const std::atomic<bool>&) override {
    check_format(format_, {"table", "json"});
    Json models = Json::array();
    std::vector<std::vector<std::string>> rows;
    for (const std::string& name : preset_names()) {
      const ModelRow row = row_of(name);
      models.push_back(
          {{"name", row.name}, {"family", row.family}, {"parameters", row.parameters}, {"bytes", row.bytes}});
      rows.push_back(
          {row.name, row.family, std::to_string(row.parameters), format_bytes(static_cast<double>(row.bytes))});
    }
    if (format_ == "json") {
      write_standard_output(Json{{"models", models}}.dump(2) + "\n");
    } else {
      write_standard_output(text_table({{"name"}, {"family"}, {"parameters", true}, {"fp32", true}}, rows));
    }
    return kExitOk;
  }

 private:
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> make_models_command() {
  return std::make_unique<ModelsCommand>();
}

}  // namespace transformeter

// Each row of the table of settings says which member its value goes into.
#include "schema/case.h"

#include <fmt/format.h>

#include "base/error.h"
#include "schema/settings.h"
#include "schema/whole_field.h"

namespace transformeter {
namespace {

// Puts a setting's value into its member.
struct Take {
  const char* name;
  const Json& value;
  Case& into;

  void operator()(std::monostate) const {}
  void operator()(WordMember word) const { into.*word.member = value == word.is_true; }
  template <class T>
  void operator()(T Case::*member) const {
    read(into.*member);
  }

  void read(std::string& text) const { value.get_to(text); }
  void read(Task& task) const { value.get_to(task); }
  void read(Scenario& scenario) const { value.get_to(scenario); }
  void read(double& number) const { value.get_to(number); }
  void read(std::int64_t& count) const { count = whole_field<std::int64_t>(value, name); }
  void read(std::uint64_t& count) const { count = whole_field<std::uint64_t>(value, name); }
  void read(CountOrWord& either) const {
    if (value.is_string()) {
      either = value.get<std::string>();
    } else {
      either = whole_field<std::int64_t>(value, name);
    }
  }
  template <class T>
  void read(std::optional<T>& number) const {
    number.reset();
    if (!value.is_string()) read(number.emplace());
  }
};

}  // namespace

std::string_view compiled_format(std::string_view model) {
  if (model.ends_with(".pt") || model.ends_with(".ts") || model.ends_with(".torchscript")) return "TorchScript";
  if (model.ends_with(".onnx")) return "ONNX";
  return model.ends_with(".xml") ? "OpenVINO" : "";
}

bool is_compiled_format(std::string_view text) {
  return text == "TorchScript" || text == "ONNX" || text == "OpenVINO";
}

bool is_script_file(std::string_view model) {
  return compiled_format(model) == "TorchScript";
}

bool is_graph_file(std::string_view model) {
  return is_compiled_file(model) && !is_script_file(model);
}

Case case_from(const Json& settings) {
  Case result;
  try {
    for (const SettingTerm& term : setting_terms()) {
      const auto value = settings.find(term.name);
      if (value != settings.end()) std::visit(Take{term.name.data(), *value, result}, term.member);
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kProtocol, fmt::format("the case's settings are malformed: {}", error.what()));
  }
  return result;
}

}  // namespace transformeter

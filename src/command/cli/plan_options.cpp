// Each setting of the table becomes an option.
#include "cli/plan_options.h"

#include <map>

namespace transformeter {

// Stable addresses: the options point to them.
struct PlanOptions::Values {
  std::map<std::string, std::optional<std::string>> texts;  // by setting
  std::map<std::string, bool> switches;                     // settings that are flags
};

PlanOptions::PlanOptions() : values_(std::make_unique<Values>()) {}

PlanOptions::~PlanOptions() = default;

OptionDeclaration PlanOptions::option_of(const SettingTerm& term, std::span<const SettingDefault> defaults) {
  const std::string name(term.name);
  if (term.kind == SettingKind::kFlag) {
    OptionDeclaration flag = setting_option(term, &values_->switches[name]);
    flag.initial.clear();
    return flag;
  }
  OptionDeclaration option = setting_option(term, &values_->texts[name]);
  for (const SettingDefault& own : defaults) {
    if (own.name == term.name) option.initial = own.text;
  }
  option.is_list = term.is_axis;
  if (term.is_axis) option.placeholder += ",...";
  return option;
}

void PlanOptions::apply_to(Plan& plan) const {
  for (const auto& [name, text] : values_->texts) {
    if (text) plan.apply_flag(name, *text);
  }
  for (const auto& [name, is_on] : values_->switches) {
    if (is_on) plan.apply_flag(name, "true");
  }
}

std::optional<std::string> PlanOptions::first_given() const {
  for (const auto& [name, text] : values_->texts) {
    if (text) return flag_of(name);
  }
  for (const auto& [name, is_on] : values_->switches) {
    if (is_on) return flag_of(name);
  }
  return std::nullopt;
}

}  // namespace transformeter

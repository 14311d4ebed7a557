// Zero-shot classification: classes are names that the user gives, and a text about each stands for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"

namespace transformeter {

/// The names of the classes in order: those of the setting `labels` (load_label_list), else the data's own. Throws
/// Error(kBadInput) for fewer than two, and as load_label_list.
std::vector<std::string> zero_shot_classes(const std::string& labels, const DataSet& data);

/// Throws Error(kBadInput) unless {} stands in it exactly once.
void check_prompt_template(std::string_view prompt_template);

/// The text of each class: the template with its name in place of {}. Throws as check_prompt_template.
std::vector<std::string> class_texts(const std::vector<std::string>& classes, const std::string& prompt_template);

}  // namespace transformeter

// Names from a list or the data, put into a template.
#include "tasks/zero_shot.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "datasets/classification.h"

namespace transformeter {
namespace {

constexpr std::string_view kPlace = "{}";  // of the name

}  // namespace

std::vector<std::string> zero_shot_classes(const std::string& labels, const DataSet& data) {
  std::vector<std::string> classes = labels.empty() ? data.label_names : load_label_list(labels);
  if (classes.empty()) {
    throw Error(ErrorKind::kBadInput,
                "zero-shot classification needs the names of its classes: give --labels A,B,... or a file of names, or "
                "data whose classes have names, such as a folder with a folder for each class");
  }
  if (classes.size() < 2) {
    throw bad_value("labels", excerpt(classes.front()), "names of at least two classes");
  }
  return classes;
}

void check_prompt_template(std::string_view prompt_template) {
  const std::size_t place = prompt_template.find(kPlace);
  const bool has_one =
      place != std::string_view::npos && prompt_template.find(kPlace, place + 1) == std::string_view::npos;
  if (has_one) return;
  throw bad_value("prompt_template", excerpt(prompt_template), "a text with {} exactly once",
                  "{} stands for the name of a class, as in \"a photo of a {}\"");
}

std::vector<std::string> class_texts(const std::vector<std::string>& classes, const std::string& prompt_template) {
  check_prompt_template(prompt_template);
  std::vector<std::string> texts;
  for (const std::string& name : classes) {
    std::string text = prompt_template;
    texts.push_back(text.replace(text.find(kPlace), kPlace.size(), name));
  }
  return texts;
}

}  // namespace transformeter

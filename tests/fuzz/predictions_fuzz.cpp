// Predicted classes, answers and tags; the first byte chooses.
#include "fuzz_support.h"
#include "tasks/class_predictions.h"
#include "tasks/predictions.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

DataSet small_data() {
  DataSet data;
  data.name = "small";
  data.examples = {{"x", {}, 0}, {"y", {}, 1}};
  data.label_count = 2;
  data.label_names = {"no", "yes"};
  return data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const DataSet set = small_data();
  static const std::vector<TaggedSentence> sentences = {{{"Ann", "B-p", 1}, {"ran", "O", 2}}, {{"so", "O", 4}}};
  const std::string_view text = bytes_of(data, size).substr(1);
  expect_read_or_error([&] {
    if (data[0] == 'a') read_predicted_answers("input", text);
    if (data[0] == 't')
      require(read_predicted_tags("input", text, sentences).size() == 2, "another count of sentences");
    if (data[0] != 'c') return;
    for (const int one : read_predicted_classes("input", text, set)) require(one == 0 || one == 1, "no such class");
  });
  return 0;
}

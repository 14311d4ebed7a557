// What of a training is known before its data are tokenised.
#include "measure/case_forecast.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "measure/loaded_training.h"
#include "spec/formulas.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

class TrainingForecast : public LoadedTraining {
 protected:
  static Case pairs_of(const std::string& data) {
    Case request = small_training("clip-test", Task::kContrastiveImageText, data);
    request.sequence_length = 12;
    return request;
  }
  Json forecast(const Case& request) const { return forecast_case(request, context_, parts_); }
};

// Random captions fill their rows; those of a table may be shorter, by which useful operations are fewer.
TEST_F(TrainingForecast, UsefulOperationsAreKnownOfFullCaptionsAlone) {
  const Json of_random = forecast(pairs_of(kSyntheticData));
  EXPECT_GT(of_random.at("peak_bytes").get<double>(), 0);
  const ModelConfig config = parts_.models.architectures().preset("clip-test");
  const std::vector<std::int64_t> images(2, config.image_tokens), captions(2, 12);
  EXPECT_DOUBLE_EQ(of_random.at("useful_flops").get<double>(),
                   3 * forward_flops(config, Task::kContrastiveImageText, images, captions));

  const TemporaryFolder folder;
  const std::string images_of = (source_directory() / "tests/data/images").string();
  const std::string table = "image,caption\n" + images_of + "/420.jpg,a cat\n" + images_of + "/cmyk.jpg,a red dog\n";
  const Json of_a_table = forecast(pairs_of(folder.write("t.csv", table).string()));
  EXPECT_GT(of_a_table.at("peak_bytes").get<double>(), 0);
  EXPECT_FALSE(of_a_table.contains("useful_flops"));
}

}  // namespace
}  // namespace transformeter

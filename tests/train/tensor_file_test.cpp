// What is made of tensors while they are written is there one at a time.
#include "train/tensor_file.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"

namespace transformeter {
namespace {

TEST(WriteTensors, HoldsOneTensorThatIsMadeForTheFile) {
  const TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  for (const char* name : {"c", "a", "b"}) {
    tensors.push_back({name, at::full({3}, static_cast<double>(name[0]), at::kFloat)});
  }
  int alive = 0, most = 0;
  std::vector<std::vector<float>> made;
  made.reserve(tensors.size());
  write_tensors(folder.path() / "t", tensors, [&](const NamedTensor& tensor) {
    most = std::max(most, ++alive);
    std::vector<float>& values = made.emplace_back(3, 2 * tensor.value.max().item<float>());
    return at::from_blob(
        values.data(), {3}, [&](void*) { --alive; }, at::TensorOptions(at::kFloat));
  });
  EXPECT_EQ(made.size(), 3U);
  EXPECT_EQ(most, 1);
  EXPECT_EQ(alive, 0);
  std::vector<NamedTensor> read;
  for (const NamedTensor& tensor : tensors) read.push_back({tensor.name, at::zeros({3})});
  TensorFile(folder.path() / "t", read).load();
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(at::equal(read[i].value, 2 * tensors[i].value));
}

}  // namespace
}  // namespace transformeter

// Choices of kernels in files: what is kept, what is not, and what becomes of files of others.
#include "machine/kept_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;
using testing::UnorderedElementsAreArray;

class KeptProductsTest : public testing::Test {
 protected:
  static ProductChoice choice(std::int64_t rows, const std::string& kernel = "onednn_prepacked") {
    ProductChoice one;
    one.size = {768, 3072, true, true, 2, {{rows, "gelu"}, {rows, "residual"}}};
    one.kernel = kernel;
    one.trials = {
        {"linear", 0.25, ""}, {"mkl_prepacked", 0, "its outputs differ by 0.5"}, {"onednn_prepacked", 0.125, ""}};
    one.tried_at = "2026-11-26T08:00:00.000Z";
    return one;
  }
  KeptProducts open(const std::string& runtime = "LibTorch 2.15.0", const std::string& fingerprint = "abc") const {
    return {folder_.path(), fingerprint, runtime};
  }
  std::filesystem::path file() const { return folder_.path() / "products/abc.json"; }

  TemporaryDirectory folder_;
};

TEST_F(KeptProductsTest, AreFoundByTheNextProcess) {
  EXPECT_EQ(open().find(choice(128).size), nullptr);
  EXPECT_EQ(open().keep({choice(128)}), std::nullopt);
  const KeptProducts next = open();
  const ProductChoice* found = next.find(choice(128).size);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(Json(*found), Json(choice(128)));
  EXPECT_THAT(found->trials, UnorderedElementsAreArray(choice(128).trials));
  EXPECT_EQ(next.find(choice(256).size), nullptr);
  ProductSize other = choice(128).size;
  other.threads = 1;
  EXPECT_EQ(next.find(other), nullptr);
  ProductSize narrow = choice(128).size;
  narrow.precision = "bf16";
  EXPECT_EQ(next.find(narrow), nullptr);
}

TEST_F(KeptProductsTest, AreOfOneMachineAndOfTheSameLibraries) {
  open().keep({choice(128)});
  EXPECT_EQ(open("LibTorch 2.16.0").find(choice(128).size), nullptr);
  EXPECT_EQ(open("LibTorch 2.15.0", "def").find(choice(128).size), nullptr);
  open("LibTorch 2.16.0").keep({choice(128, "linear")});
  EXPECT_EQ(open().find(choice(128).size)->kernel, "onednn_prepacked") << "each has its own";
  EXPECT_EQ(read_kept_products(folder_.path(), "abc").size(), 2U);
}

TEST_F(KeptProductsTest, TakeThePlaceOfEarlierOnes) {
  open().keep({choice(128), choice(256)});
  open().keep({choice(128, "linear")});
  EXPECT_EQ(open().find(choice(128).size)->kernel, "linear");
  EXPECT_EQ(read_kept_products(folder_.path(), "abc").at("LibTorch 2.15.0").size(), 2U);
}

TEST_F(KeptProductsTest, OfUnsteadyTimesAreNotKept) {
  ProductChoice unsteady = choice(128);
  unsteady.is_steady = false;
  EXPECT_EQ(open().keep({unsteady}), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(KeptProductsTest, OfADamagedFileAreMadeAgain) {
  open().keep({choice(128)});
  const std::string whole = read_file(file());
  Json number = Json::parse(whole);
  number["runtimes"]["LibTorch 2.15.0"][0]["kernel"] = 5;
  Json later = Json::parse(whole);
  later["version"] = 4;
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"),
                                     std::string("{\"version\": 3}"), number.dump(), later.dump()}) {
    SCOPED_TRACE(damaged.substr(0, 60));
    write_file_atomically(file(), damaged);
    EXPECT_EQ(open().find(choice(128).size), nullptr);
    open().keep({choice(128)});
    EXPECT_NE(open().find(choice(128).size), nullptr);
  }
}

TEST_F(KeptProductsTest, OfWorkersAtOnceAreAllKept) {
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([this, worker] {
      for (int i = 0; i < 10; ++i) open().keep({choice(100 * worker + i + 1)});
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(read_kept_products(folder_.path(), "abc").at("LibTorch 2.15.0").size(), 40U);
}

TEST_F(KeptProductsTest, AreNoMoreThanTwoThousand) {
  std::vector<ProductChoice> many;
  for (int rows = 1; rows <= 2001; ++rows) many.push_back(choice(rows));
  open().keep(many);
  EXPECT_EQ(open().find(choice(1).size), nullptr) << "the oldest";
  EXPECT_NE(open().find(choice(2).size), nullptr);
  EXPECT_NE(open().find(choice(2001).size), nullptr);
}

TEST_F(KeptProductsTest, ThatCannotBeWrittenSayWhy) {
  write_file_atomically(folder_.path() / "products", "a file in the folder's place");
  EXPECT_THAT(open().keep({choice(128)}), Optional(AllOf(HasSubstr("products/abc.json"), HasSubstr("directory"))));
  EXPECT_EQ(open().keep({}), std::nullopt) << "nothing is wanted there";
  KeptProducts nowhere("", "abc", "LibTorch 2.15.0");
  EXPECT_THAT(nowhere.keep({choice(128)}), Optional(HasSubstr("XDG_CACHE_HOME")));
}

}  // namespace
}  // namespace transformeter

//===-- JobsTest.cpp - from paths and compile databases to jobs -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

namespace {

std::vector<CompileJob> jobs(const Strings &Paths,
                             const FrontendOptions &Options = {}) {
  auto Jobs = collectJobs(Paths, Options);
  if (!Jobs) {
    ADD_FAILURE() << toString(Jobs.takeError());
    return {};
  }
  return std::move(*Jobs);
}

Strings files(const std::vector<CompileJob> &Jobs) {
  Strings Files;
  for (const CompileJob &Job : Jobs)
    Files.push_back(Job.File);
  return Files;
}

std::string problem(const Strings &Paths, const FrontendOptions &Options = {}) {
  auto Jobs = collectJobs(Paths, Options);
  return Jobs ? "no error" : toString(Jobs.takeError());
}

/// Writes a database with one entry for each file and command.
void writeDatabase(
    const TemporaryFolder &Folder,
    const std::vector<std::pair<std::string, std::string>> &Rows) {
  std::string Text = "[";
  for (const auto &[File, Command] : Rows) {
    if (Text.size() > 1)
      Text += ",";
    Text += "{\"directory\": \"" + Folder.path("build") + "\", \"file\": \"" +
            File + "\", \"command\": \"" + Command + "\"}";
  }
  Folder.write("build/compile_commands.json", Text + "]");
}

FrontendOptions withDatabase(const TemporaryFolder &Folder) {
  FrontendOptions Options;
  Options.DatabaseDirectory = Folder.path("build");
  return Options;
}

TEST(Jobs, FolderGivesEveryCudaFileBelowItSorted) {
  TemporaryFolder Folder;
  for (const char *File : {"b.cu", "a.cu", "sub/deep/c.cu", "d.cpp", "e.cuh",
                           ".hidden/f.cu", "a.o.bankstripe/a.cu"})
    Folder.write(File, "");
  EXPECT_THAT(files(jobs({Folder.path()})),
              ElementsAre(Folder.path("a.cu"), Folder.path("b.cu"),
                          Folder.path("sub/deep/c.cu")));
}

TEST(Jobs, FileMayHaveAnySuffix) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cpp", "");
  auto Jobs = jobs({File});
  ASSERT_EQ(Jobs.size(), 1u);
  EXPECT_EQ(Jobs[0].File, File);
  EXPECT_THAT(Jobs[0].OriginalArgs, ElementsAre("nvcc"));
}

TEST(Jobs, EachFileOnceByWhateverName) {
  TemporaryFolder Folder;
  std::string File = Folder.write("sub/a.cu", "");
  ASSERT_FALSE(llvm::sys::fs::create_link(File, Folder.path("sub/link.cu")));
  EXPECT_THAT(files(jobs({File, Folder.path("sub/../sub/./a.cu"),
                          Folder.path("sub/link.cu"), Folder.path()})),
              ElementsAre(File));
}

// Beside the link there may be other headers.
TEST(Jobs, LinksInOtherFoldersAreWhatCompilersAreGiven) {
  TemporaryFolder Folder;
  std::string File = Folder.write("sub/a.cu", ""),
              Link = Folder.path("link.cu");
  ASSERT_FALSE(llvm::sys::fs::create_link(File, Link));
  const auto Jobs = jobs({Folder.path()});
  EXPECT_THAT(files(Jobs), ElementsAre(File, File));
  ASSERT_EQ(Jobs.size(), 2u);
  EXPECT_EQ(Jobs[0].path(), File);
  EXPECT_EQ(Jobs[1].path(), Link);
}

TEST(Jobs, LinkOutOfTheFolderIsLeftAlone) {
  TemporaryFolder Folder, Outside;
  std::string File = Folder.write("a.cu", "");
  ASSERT_FALSE(llvm::sys::fs::create_link(Outside.write("b.cu", ""),
                                          Folder.path("b.cu")));
  EXPECT_THAT(files(jobs({Folder.path()})), ElementsAre(File));
}

TEST(Jobs, ArgumentsAfterTheDashesAreForAllFiles) {
  TemporaryFolder Folder;
  Folder.write("a.cu", "");
  Folder.write("b.cu", "");
  FrontendOptions Options;
  Options.CompilerArgs = {"-DA", "-arch=sm_80"};
  auto Jobs = jobs({Folder.path()}, Options);
  ASSERT_EQ(Jobs.size(), 2u);
  for (const CompileJob &Job : Jobs) {
    EXPECT_THAT(Job.OriginalArgs, ElementsAre("nvcc", "-DA", "-arch=sm_80"));
    EXPECT_THAT(Job.ClangArgs, Contains("-DA"));
    EXPECT_EQ(Job.GpuArch, "sm_80");
  }
}

TEST(Jobs, ArgumentsForClangAreSeenAsSuch) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  FrontendOptions Options;
  Options.CompilerArgs = {"--cuda-gpu-arch=sm_80"};
  auto Jobs = jobs({File}, Options);
  ASSERT_EQ(Jobs.size(), 1u);
  EXPECT_EQ(Jobs[0].OriginalArgs.front(), "clang++");
  EXPECT_EQ(Jobs[0].GpuArch, "sm_80");
}

TEST(Jobs, ExtraArgumentsGoBehindTheCommand) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  FrontendOptions Options;
  Options.CompilerArgs = {"-DB"};
  Options.ExtraArgs = {"-DC"};
  auto Jobs = jobs({File}, Options);
  ASSERT_EQ(Jobs.size(), 1u);
  EXPECT_THAT(Jobs[0].OriginalArgs, ElementsAre("nvcc", "-DB", "-DC"));
}

TEST(Jobs, DatabaseGivesTheCudaEntriesBelowTheFolder) {
  TemporaryFolder Folder;
  for (const char *File : {"src/a.cu", "src/b.cpp", "src/c.cpp", "other/d.cu"})
    Folder.write(File, "");
  writeDatabase(Folder, {{"../src/a.cu", "nvcc -c ../src/a.cu"},
                         {"../src/b.cpp", "nvcc -x cu -c ../src/b.cpp"},
                         {"../src/c.cpp", "g++ -c ../src/c.cpp"},
                         {"../src/gone.cu", "nvcc -c ../src/gone.cu"},
                         {Folder.path("other/d.cu"), "nvcc -c d.cu"}});
  auto Jobs = jobs({Folder.path("src")}, withDatabase(Folder));
  EXPECT_THAT(files(Jobs),
              ElementsAre(Folder.path("src/a.cu"), Folder.path("src/b.cpp")));
  EXPECT_EQ(Jobs.at(0).Directory, Folder.path("build"));
}

TEST(Jobs, DatabaseMayBeNamedItself) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  writeDatabase(Folder, {{"../a.cu", "nvcc -DA -c ../a.cu"}});
  FrontendOptions Options;
  Options.DatabaseDirectory = Folder.path("build/compile_commands.json");
  EXPECT_THAT(jobs({File}, Options).at(0).ClangArgs, Contains("-DA"));
}

TEST(Jobs, FileWithTwoCommandsIsTwoJobsAndEqualOnesAreOne) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  writeDatabase(Folder, {{"../a.cu", "nvcc -DA -c ../a.cu"},
                         {"../a.cu", "nvcc -DB -c ../a.cu"},
                         {"../a.cu", "nvcc -DA -c ../a.cu"}});
  auto Jobs = jobs({File}, withDatabase(Folder));
  ASSERT_EQ(Jobs.size(), 2u);
  EXPECT_THAT(Jobs[0].ClangArgs, Contains("-DA"));
  EXPECT_THAT(Jobs[1].ClangArgs, Contains("-DB"));
}

TEST(Jobs, FileThatTheDatabaseLacksGetsTheDefaultCommand) {
  TemporaryFolder Folder;
  Folder.write("a.cu", "");
  std::string File = Folder.write("b.cu", "");
  writeDatabase(Folder, {{"../a.cu", "nvcc -DA -c ../a.cu"}});
  EXPECT_THAT(jobs({File}, withDatabase(Folder)).at(0).OriginalArgs,
              ElementsAre("nvcc"));
}

TEST(Jobs, DatabaseIsFoundInBuildFoldersAbove) {
  TemporaryFolder Folder;
  std::string File = Folder.write("src/deep/a.cu", "");
  writeDatabase(Folder, {{"../src/deep/a.cu", "nvcc -DA -c ../src/deep/a.cu"}});
  EXPECT_THAT(jobs({File}).at(0).OriginalArgs, ElementsAre("nvcc"));
  FrontendOptions Options;
  Options.LooksForDatabase = true;
  for (const std::string &Path : {File, Folder.path("src")}) {
    const CompileJob Job = jobs({Path}, Options).at(0);
    EXPECT_THAT(Job.ClangArgs, Contains("-DA"));
    EXPECT_EQ(Job.FoundDatabase, Folder.path("build/compile_commands.json"));
  }
}

TEST(Jobs, DatabaseCanTellWhichFilesThereAre) {
  TemporaryFolder Folder;
  std::string File = Folder.write("src/a.cu", "");
  Folder.write("src/of_another_program.cu", "");
  FrontendOptions Options;
  Options.LooksForDatabase = Options.DatabaseTells = true;
  EXPECT_EQ(jobs({Folder.path("src")}, Options).size(), 2u);
  writeDatabase(Folder, {{"../src/a.cu", "nvcc -c ../src/a.cu"}});
  const auto Found = jobs({Folder.path("src")}, Options);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].File, File);
}

TEST(Jobs, DatabaseThatDoesNotNameThePathIsNotTaken) {
  TemporaryFolder Folder;
  std::string File = Folder.write("src/a.cu", "");
  Folder.write("b.cu", "");
  writeDatabase(Folder, {{"../b.cu", "nvcc -DA -c ../b.cu"}});
  Folder.write("src/compile_commands.json", "no database");
  FrontendOptions Options;
  Options.LooksForDatabase = true;
  const CompileJob Job = jobs({File}, Options).at(0);
  EXPECT_THAT(Job.OriginalArgs, ElementsAre("nvcc"));
  EXPECT_EQ(Job.FoundDatabase, "");
}

TEST(Jobs, ArgumentsAfterTheDashesReplaceADatabase) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  writeDatabase(Folder, {{"../a.cu", "nvcc -DA -c ../a.cu"}});
  FrontendOptions Options;
  Options.LooksForDatabase = true;
  Options.CompilerArgs = {"-DB"};
  EXPECT_THAT(jobs({File}, Options).at(0).OriginalArgs,
              ElementsAre("nvcc", "-DB"));
}

TEST(Jobs, FoldersInWhichCMakeBuildsAreLeftOut) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  Folder.write("out/CMakeCache.txt", "");
  Folder.write("out/CMakeFiles/CMakeCUDACompilerId.cu", "");
  EXPECT_THAT(files(jobs({Folder.path("")})), ElementsAre(File));
}

TEST(Jobs, NvccOfTheCommandBringsItsToolkit) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  Folder.write("cuda/include/cuda_runtime.h", "");
  writeDatabase(Folder,
                {{"../a.cu", Folder.path("cuda/bin/nvcc") + " -c ../a.cu"}});
  EXPECT_EQ(jobs({File}, withDatabase(Folder)).at(0).CudaPath,
            Folder.path("cuda"));
}

TEST(Jobs, GlobsChooseByRelativeAndAbsolutePath) {
  TemporaryFolder Folder;
  for (const char *File : {"a.cu", "tests/b.cu", "tests/deep/c.cu"})
    Folder.write(File, "");
  FrontendOptions Options;
  Options.Exclude = {"tests/*"};
  EXPECT_THAT(files(jobs({Folder.path()}, Options)),
              ElementsAre(Folder.path("a.cu")));
  Options.Exclude = {"*/deep/*"};
  EXPECT_THAT(files(jobs({Folder.path()}, Options)),
              ElementsAre(Folder.path("a.cu"), Folder.path("tests/b.cu")));
}

TEST(Jobs, GlobsThatLeaveNothingOrAreNoneAreErrors) {
  TemporaryFolder Folder;
  Folder.write("a.cu", "");
  FrontendOptions Options;
  Options.Exclude = {"a*"};
  EXPECT_THAT(problem({Folder.path()}, Options), HasSubstr("leaves no file"));
  Options.Exclude = {"[a"};
  EXPECT_THAT(problem({Folder.path()}, Options),
              HasSubstr("'[a' is not a glob"));
}

TEST(Jobs, MissingPathIsAnError) {
  EXPECT_THAT(problem({"/no/such/file.cu"}),
              HasSubstr("no such file or folder: '/no/such/file.cu'"));
}

TEST(Jobs, FolderWithoutCudaIsAnErrorThatSaysWhatToDo) {
  TemporaryFolder Folder;
  Folder.write("a.cpp", "");
  std::string Message = problem({Folder.path()});
  EXPECT_THAT(Message, HasSubstr("no CUDA source (.cu) below"));
  EXPECT_THAT(Message, HasSubstr("-p BUILD_DIR"));
}

TEST(Jobs, MissingDatabaseIsAnErrorThatSaysWhatToDo) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  std::string Message = problem({File}, withDatabase(Folder));
  EXPECT_THAT(Message, HasSubstr(Folder.path("build")));
  EXPECT_THAT(Message, HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
}

TEST(Jobs, BrokenDatabaseIsAnError) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", "");
  for (const char *Text :
       {"", "[{\"directory\": ", "{}", "[{\"file\": \"a\"}]"}) {
    Folder.write("build/compile_commands.json", Text);
    EXPECT_THAT(
        problem({File}, withDatabase(Folder)),
        HasSubstr("cannot use '" + Folder.path("build/compile_commands.json")))
        << Text;
  }
}

TEST(Jobs, DatabaseWithoutEntriesBelowTheFolderIsAnError) {
  TemporaryFolder Folder;
  Folder.write("src/a.cu", "");
  writeDatabase(Folder, {});
  EXPECT_THAT(problem({Folder.path("src")}, withDatabase(Folder)),
              HasSubstr("names no CUDA source below"));
}

} // namespace

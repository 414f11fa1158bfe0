"""The frozen values that pass between the rooms, named as in the contract."""
